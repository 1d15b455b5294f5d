// What `toolrag/converse` asks for: server/PROTOCOL.md section 3.

export interface Message {
  role: 'user' | 'assistant';
  text: string;
  toolCalls?: { id: string; name: string; input: object }[];
  toolResults?: { callId: string; text: string; isError: boolean }[];
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: object;
}

export interface Converse {
  messages: Message[];
  tools: Tool[];
  mustCall?: string | true;
  maxTokens?: number;
}

export interface Reply {
  text: string;
  toolCalls: { id: string; name: string; input: object }[];
  stop: 'end' | 'toolUse' | 'length' | 'refused' | 'other';
  forced?: 'tool' | 'auto';
}

/** The tools a model is given. It can be made to call only where it has one: the named one, else the first way to read. */
export function offered({ tools, mustCall }: Converse): { tools: Tool[]; required: boolean } {
  if (mustCall === undefined) {
    return { tools, required: false };
  }
  const wanted = mustCall === true ? 'read_range' : mustCall;
  const only = tools.find((tool) => tool.name === wanted) ?? (mustCall === true ? tools[0] : undefined);
  return only ? { tools: [only], required: true } : { tools, required: false };
}

/** How the model was made to call, where it is not as the server asked. */
export function forced(asked: Converse, required: boolean): Pick<Reply, 'forced'> {
  if (asked.mustCall === undefined) {
    return {};
  }
  return required ? (asked.mustCall === true ? { forced: 'tool' } : {}) : { forced: 'auto' };
}
