// An answer to paste elsewhere: pinned citations, with links where the file is as its last commit has it.
import * as vscode from 'vscode';
import type { Exchange } from '../shared/exchange';
import { markdownOf } from '../shared/markdown';
import { permalink } from '../shared/permalink';
import type { Citation } from '../shared/wire';

interface Change {
  uri: vscode.Uri;
}

interface Repository {
  rootUri: vscode.Uri;
  state: {
    HEAD?: { commit?: string; ahead?: number; upstream?: { remote: string } };
    remotes: { name: string; fetchUrl?: string }[];
    workingTreeChanges: Change[];
    indexChanges: Change[];
    mergeChanges: Change[];
    untrackedChanges?: Change[];
  };
}

interface Git {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): Repository | null };
}

export async function copyMarkdown(exchange: Exchange): Promise<void> {
  const git = await gitApi();
  await vscode.env.clipboard.writeText(markdownOf(exchange, (citation) => git && address(git, citation)));
  vscode.window.setStatusBarMessage('$(copy) toolrag: copied as Markdown', 3_000);
}

async function gitApi() {
  const extension = vscode.extensions.getExtension<Git>('vscode.git');
  try {
    return (await extension?.activate())?.getAPI(1);
  } catch {
    return undefined; // git is turned off
  }
}

/** Only for a commit that the remote has, of a file that nobody changed since. */
function address(git: ReturnType<Git['getAPI']>, citation: Citation): string | undefined {
  const uri = vscode.Uri.parse(citation.location.uri, true);
  const repository = git.getRepository(uri);
  const head = repository?.state.HEAD;
  if (!repository || !head?.commit || !head.upstream || head.ahead) {
    return undefined;
  }
  const { workingTreeChanges, indexChanges, mergeChanges, untrackedChanges = [], remotes } = repository.state;
  const changes = [...workingTreeChanges, ...indexChanges, ...mergeChanges, ...untrackedChanges];
  const dirty = vscode.workspace.textDocuments.some((one) => one.isDirty && one.uri.toString() === uri.toString());
  const remote = remotes.find((one) => one.name === head.upstream?.remote)?.fetchUrl;
  if (dirty || !remote || changes.some((change) => change.uri.toString() === uri.toString())) {
    return undefined;
  }
  const root = repository.rootUri.path.replace(/\/$/, '');
  return uri.path.startsWith(`${root}/`)
    ? permalink(remote, head.commit, uri.path.slice(root.length + 1), citation.lines)
    : undefined;
}
