// What the server says, in its own names: server/PROTOCOL.md sections 2 and 3.

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Location {
  uri: string;
  range: Range;
}

/** 1-based, inclusive. */
export interface Lines {
  start: number;
  end: number;
}

export type Standing = 'verified' | 'moved' | 'changed' | 'gone';

export interface Claim {
  id: string;
  /** Markdown of code spans and escapes. */
  text: string;
  citations: string[];
}

export interface Citation {
  id: string;
  path: string;
  root: string;
  location: Location;
  lines: Lines;
  sha: string;
  linesSha: string;
  anchor: unknown;
  source: 'buffer' | 'disk';
  version?: number;
  quote: string;
  symbol?: string;
  standing: Standing;
}

export interface Candidate {
  path: string;
  root: string;
  location: Location;
  lines: Lines;
  sha: string;
  symbol: { name: string; kind: string; container: string };
  signature: string;
  score: number;
  reasons: string[];
}

export interface Searched {
  files: number;
  skipped: number;
  complete: boolean;
  denseComplete: boolean;
  terms: string[];
  missing: string[];
}

export interface Usage {
  turns: number;
  toolCalls: number;
  reads: number;
  bytesRead: number;
  inputTokens: number;
  outputTokens: number;
  seconds: number;
}

export interface Answer {
  id: string;
  question: string;
  outcome: 'answered' | 'partial' | 'notFound';
  reason?: { code: string; message: string };
  model: string;
  claims: Claim[];
  citations: Citation[];
  candidates: Candidate[];
  searched: Searched;
  usage: Usage;
  callers?: { name: string; count: number; files: number; complete: boolean };
  journal?: string;
}

export interface Partial {
  claims: Claim[];
  citations: Citation[];
  withdrawn: string[];
}

/** How a citation stands now; `location` and `lines` where its lines are. */
export interface Stood {
  id: string;
  standing: Standing;
  location?: Location;
  lines?: Lines;
}

export interface Standings {
  answerId: string;
  citations: Stood[];
}

export interface Located {
  standing: Standing;
  location?: Location;
  lines?: Lines;
  sha?: string;
  error?: string;
  message?: string;
}

export interface Verified {
  citations: (Located & { id?: string; written?: string })[];
  unsupported: { id: string; text: string; why: string }[];
}

export interface Status {
  phase: 'starting' | 'indexing' | 'ready' | 'failed';
  files: { indexed: number; total: number; skipped: Record<string, number> };
  spans: number;
  dense: { indexed: number; total: number; engine: string };
  languages: Record<string, number>;
  epoch: number;
  model: string;
  problems: string[];
}

export interface ReplayReport {
  run: string;
  question: string;
  model: string;
  reproduced: boolean;
  chain: string;
  divergence?: { event: number; message: string };
}
