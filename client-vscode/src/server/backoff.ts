// When a server that ended is started again. Pure: the caller brings the time, in milliseconds.

const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** A server that ran this long had no trouble starting. */
const SETTLED_MS = 180_000;
/** Ends in a row after which a person has to look. */
export const MOST_ENDS = 6;

export class Backoff {
  private ends = 0;
  private startedAt = 0;

  started(now: number): void {
    this.startedAt = now;
  }

  /** How long to wait before the next start; undefined when it is hopeless. */
  ended(now: number): number | undefined {
    this.ends = now - this.startedAt >= SETTLED_MS ? 1 : this.ends + 1;
    return this.ends > MOST_ENDS ? undefined : Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.ends - 1));
  }

  /** A person asked for a start. */
  reset(): void {
    this.ends = 0;
  }
}
