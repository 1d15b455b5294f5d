// Tools for the editor's agent: find lines, read them, check what was cited.
import * as vscode from 'vscode';
import type { Server } from '../server/server';
import { found, read, type SearchResult, verdicts } from '../shared/tool-text';
import type { Verified } from '../shared/wire';

interface Search {
  query: string;
  limit?: number;
}

interface Read {
  path: string;
  start: number;
  end: number;
  expectSha?: string;
}

interface Verify {
  text: string;
}

export function registerTools(server: Server): vscode.Disposable[] {
  return [
    tool<Search>(
      'toolrag_search',
      ({ query }) => `Searching for “${query}”`,
      async ({ query, limit = 8 }, token) => {
        const client = await server.ready();
        return found(await client.sendRequest<SearchResult>('toolrag/search', { query, limit }, token));
      },
    ),
    tool<Read>(
      'toolrag_read_range',
      ({ path, start, end }) => `Reading ${path}:${start}-${end}`,
      async ({ path, start, end, expectSha }, token) => {
        const client = await server.ready();
        const params = { path, start, end, ...(expectSha === undefined ? {} : { expectSha }) };
        return read(await client.sendRequest('toolrag/readRange', params, token));
      },
    ),
    tool<Verify>(
      'toolrag_verify_citations',
      () => 'Checking citations',
      async ({ text }, token) => {
        const client = await server.ready();
        return verdicts(await client.sendRequest<Verified>('toolrag/verify', { text }, token));
      },
    ),
  ];
}

function tool<Input>(
  name: string,
  doing: (input: Input) => string,
  work: (input: Input, token: vscode.CancellationToken) => Promise<string>,
): vscode.Disposable {
  return vscode.lm.registerTool<Input>(name, {
    prepareInvocation: ({ input }) => ({ invocationMessage: doing(input) }),
    invoke: async ({ input }, token) =>
      new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await work(input, token))]),
  });
}
