// The editor's own model, lent to the server for one turn at a time while a person's question runs.
import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';
import { type Converse, forced, type Message, offered, type Reply } from '../shared/converse';

const CHOICE = 'toolrag.editorModel';

export class EditorModel {
  /** The model of the chat that a question came from; it goes before the chosen one. */
  private lent: vscode.LanguageModelChat | undefined;

  constructor(
    private readonly memory: vscode.Memento,
    /** Whether a person's question runs that the editor's model is to answer. */
    private readonly wanted: () => boolean,
  ) {}

  /** Let a person choose among the editor's models; false when there is none or none was chosen. */
  async choose(): Promise<boolean> {
    const models = await vscode.lm.selectChatModels({});
    if (models.length === 0) {
      void vscode.window.showWarningMessage(
        'VS Code has no chat model yet. Set one up in the Chat view, then choose again.',
      );
      return false;
    }
    const items = models.map((model) => ({
      label: model.name,
      description: `${model.vendor} · ${model.family}`,
      id: model.id,
    }));
    const chosen = await vscode.window.showQuickPick(items, { title: 'Which of the editor’s models' });
    if (chosen) {
      await this.memory.update(CHOICE, chosen.id);
    }
    return chosen !== undefined;
  }

  /** Do something with a chat's own model lent. */
  async lending<T>(model: vscode.LanguageModelChat, work: () => Promise<T>): Promise<T> {
    this.lent = model;
    try {
      return await work();
    } finally {
      this.lent = undefined;
    }
  }

  /** One turn, as the server asks for it. Raises ResponseError with a sentence. */
  async converse(asked: Converse, token: vscode.CancellationToken): Promise<Reply> {
    if (!this.wanted()) {
      throw refusal('The editor’s model is asked only while a question of yours runs that it is to answer.');
    }
    const model = this.lent ?? (await this.chosen());
    if (!model) {
      throw refusal(
        'VS Code has no chat model. Set one up in the Chat view, or choose another with toolrag: Choose Model.',
      );
    }
    const { tools, required } = offered(asked);
    const messages = asked.messages.map(message);
    const options = (mustCall: boolean): vscode.LanguageModelChatRequestOptions => ({
      justification: 'To answer the question you asked toolrag.',
      tools,
      ...(mustCall ? { toolMode: vscode.LanguageModelChatToolMode.Required } : {}),
    });
    try {
      return {
        ...(await reply(await model.sendRequest(messages, options(required), token))),
        ...forced(asked, required),
      };
    } catch (error) {
      if (error instanceof vscode.LanguageModelError && error.code === vscode.LanguageModelError.Blocked.name) {
        return { text: '', toolCalls: [], stop: 'refused' };
      }
      if (!required || token.isCancellationRequested || error instanceof vscode.LanguageModelError) {
        throw refusal(error instanceof Error ? error.message : String(error));
      }
    }
    // A model that cannot be made to call may still do so when it is free to.
    const again = await model.sendRequest(messages, options(false), token);
    return { ...(await reply(again)), ...forced(asked, false) };
  }

  private async chosen(): Promise<vscode.LanguageModelChat | undefined> {
    const models = await vscode.lm.selectChatModels({});
    const id = this.memory.get<string>(CHOICE);
    return models.find((model) => model.id === id) ?? models[0];
  }
}

async function reply(response: vscode.LanguageModelChatResponse): Promise<Reply> {
  let text = '';
  const toolCalls: Reply['toolCalls'] = [];
  for await (const part of response.stream) {
    if (part instanceof vscode.LanguageModelTextPart) {
      text += part.value;
    } else if (part instanceof vscode.LanguageModelToolCallPart) {
      toolCalls.push({ id: part.callId, name: part.name, input: part.input });
    }
  }
  return { text, toolCalls, stop: toolCalls.length > 0 ? 'toolUse' : 'end' };
}

function message({ role, text, toolCalls = [], toolResults = [] }: Message): vscode.LanguageModelChatMessage {
  const words = text === '' ? [] : [new vscode.LanguageModelTextPart(text)];
  if (role === 'assistant') {
    const calls = toolCalls.map(({ id, name, input }) => new vscode.LanguageModelToolCallPart(id, name, input));
    return vscode.LanguageModelChatMessage.Assistant([...words, ...calls]);
  }
  const results = toolResults.map(
    (one) => new vscode.LanguageModelToolResultPart(one.callId, [new vscode.LanguageModelTextPart(one.text)]),
  );
  return vscode.LanguageModelChatMessage.User([...results, ...words]);
}

function refusal(sentence: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, sentence);
}
