// @toolrag in the chat: the same answers, whose anchors are verified citations.
import * as vscode from 'vscode';
import type { Asker, Place } from '../ask/asker';
import * as settings from '../settings';
import { type Cited, type Exchange, inOrder } from '../shared/exchange';
import { count, span, visible } from '../shared/words';
import type { EditorModel } from './editor-model';

const ID = 'toolrag.chat';
const MOST_LOOKED = 5;

interface Metadata {
  answer?: string;
}

export function registerParticipant(asker: Asker, models: EditorModel, icon: vscode.Uri): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(ID, async (request, context, stream, token) => {
    const work = () => answer(asker, request, context, stream, token);
    const of = await (settings.model() === 'editor' ? models.lending(request.model, work) : work());
    if (of) {
      say(of, stream);
    }
    const metadata: Metadata = of?.answer ? { answer: of.answer.id } : {};
    return { metadata };
  });
  participant.iconPath = icon;
  return participant;
}

async function answer(
  asker: Asker,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<Exchange | undefined> {
  let last = '';
  const watch = ({ state, message }: Exchange) => {
    if (state === 'running' && message !== last) {
      last = message;
      stream.progress(visible(message));
    }
  };
  if (request.command === 'explain') {
    const place = placeOf(request);
    if (!place) {
      stream.markdown('Put the cursor on a name, or add the selection to the chat, and ask again.');
      return undefined;
    }
    return asker.explain(place, token, watch);
  }
  if (request.prompt.trim() === '') {
    stream.markdown('Ask about the code of this workspace, in your words or the code’s.');
    return undefined;
  }
  const follows = lastAnswer(context);
  return asker.ask(request.prompt, follows === undefined ? {} : { follows }, token, watch);
}

/** The answer of this conversation that a question follows on. */
function lastAnswer(context: vscode.ChatContext): string | undefined {
  const turns = context.history.filter((turn) => turn instanceof vscode.ChatResponseTurn);
  return (turns.at(-1)?.result.metadata as Metadata | undefined)?.answer;
}

function placeOf(request: vscode.ChatRequest): Place | undefined {
  const at = request.references.map((one) => one.value).find((value) => value instanceof vscode.Location);
  const editor = vscode.window.activeTextEditor;
  const uri = at?.uri ?? editor?.document.uri;
  const position = at?.range.start ?? editor?.selection.active;
  return uri && position
    ? { textDocument: { uri: uri.toString() }, position: { line: position.line, character: position.character } }
    : undefined;
}

function say(of: Exchange, stream: vscode.ChatResponseStream): void {
  for (const claim of of.claims) {
    // Its Markdown is code spans and escapes: not trusted, no HTML.
    stream.markdown(`- ${visible(claim.text)} `);
    for (const cited of claim.citations.flatMap((id) => of.citations[id] ?? [])) {
      stream.anchor(location(cited), `${cited.given.path}:${span(cited.lines)}`);
      stream.markdown(' ');
    }
    stream.markdown('\n');
  }
  for (const cited of inOrder(of)) {
    stream.reference(location(cited));
  }
  const reason = of.failure ?? of.answer?.reason?.message;
  if (reason !== undefined) {
    stream.markdown(`\n${escaped(reason)}\n`);
  }
  const looked = of.claims.length === 0 ? (of.answer?.candidates ?? []) : [];
  if (looked.length > 0) {
    const places = looked.slice(0, MOST_LOOKED).map((one) => escaped(`${one.path}:${span(one.lines)}`));
    stream.markdown(`\nWhere I looked (${count(looked.length, 'place')}): ${places.join(', ')}\n`);
  }
}

function location({ location: { uri, range } }: Cited): vscode.Location {
  const { start, end } = range;
  return new vscode.Location(
    vscode.Uri.parse(uri, true),
    new vscode.Range(start.line, start.character, end.line, end.character),
  );
}

function escaped(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]<>()#+!|~-]/g, '\\$&');
}
