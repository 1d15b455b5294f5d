// A question and what has come of it so far. Pure: each function gives a new exchange, and changes none.
import type { Answer, Citation, Claim, Lines, Location, Partial, Standing, Stood } from './wire';

/** A citation as it was given, and how it stands now. */
export interface Cited {
  given: Citation;
  standing: Standing;
  location: Location;
  lines: Lines;
}

export interface Exchange {
  key: string;
  question: string;
  state: 'running' | 'done' | 'stopped' | 'failed';
  /** What is being done, while it runs. */
  message: string;
  claims: Claim[];
  citations: Record<string, Cited>;
  /** The whole answer, once it is there. */
  answer?: Answer;
  /** Why there is none, in a sentence. */
  failure?: string;
}

export function begun(key: string, question: string): Exchange {
  return { key, question, state: 'running', message: 'Searching', claims: [], citations: {} };
}

export function working(of: Exchange, message: string): Exchange {
  return of.state === 'running' ? { ...of, message } : of;
}

/** Claims that came, each by its own id: one that comes again replaces the first. */
export function told(of: Exchange, part: Partial): Exchange {
  const gone = new Set([...part.withdrawn, ...part.claims.map((claim) => claim.id)]);
  return {
    ...of,
    claims: [...of.claims.filter((claim) => !gone.has(claim.id)), ...part.claims],
    citations: { ...of.citations, ...cited(part.citations) },
  };
}

/** The answer says everything anew; what edits have moved meanwhile is told after it. */
export function answered(of: Exchange, answer: Answer): Exchange {
  return {
    ...of,
    question: of.question || answer.question,
    state: 'done',
    message: '',
    claims: answer.claims,
    citations: cited(answer.citations),
    answer,
  };
}

export function stopped(of: Exchange): Exchange {
  return of.state === 'running' ? { ...of, state: 'stopped', message: '' } : of;
}

export function failed(of: Exchange, failure: string): Exchange {
  return { ...of, state: 'failed', message: '', failure };
}

export function stood(of: Exchange, citations: readonly Stood[]): Exchange {
  const now = { ...of.citations };
  for (const one of citations) {
    const known = now[one.id];
    if (known) {
      const { location = known.location, lines = known.lines } = one;
      now[one.id] = { ...known, standing: one.standing, location, lines };
    }
  }
  return { ...of, citations: now };
}

/** The citations in the order a reader meets them, each once. */
export function inOrder(of: Exchange): Cited[] {
  const ids = new Set(of.claims.flatMap((claim) => claim.citations));
  return [...ids].flatMap((id) => of.citations[id] ?? []);
}

function cited(citations: readonly Citation[]): Record<string, Cited> {
  const entries = citations.map((given) => {
    const { standing, location, lines } = given;
    return [given.id, { given, standing, location, lines }] as const;
  });
  return Object.fromEntries(entries);
}
