// Which settings are the server's, and which of a person's choices hold for one. Pure.

/** Names of `toolrag.*` that are sent on; what may name a program, a model or an address is not among them. */
export const SERVER_SETTINGS = [
  'deny',
  'diagnostics',
  'hover',
  'journal',
  'index.maxFiles',
  'index.vectors',
  'budget.turns',
  'budget.reads',
  'budget.tokens',
  'budget.seconds',
] as const;

/** These only narrow what is read: any workspace may set them. */
const NARROWING: ReadonlySet<string> = new Set(['deny', 'hover']);

export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** The choices as one object by section; names without a choice are left out, so that the server's own file holds. */
export function chosen(
  names: readonly string[],
  inspect: (name: string) => Inspected | undefined,
  trusted: boolean,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const value = choice(inspect(name), trusted || NARROWING.has(name), name === 'deny');
    if (value === undefined) {
      continue;
    }
    const [section, leaf] = name.split('.');
    if (section === undefined || leaf === undefined) {
      found[name] = value;
    } else {
      found[section] = { ...(found[section] as object | undefined), [leaf]: value };
    }
  }
  return found;
}

/** Lists that deny add up: a workspace cannot take back what its user denies. */
function choice(set: Inspected | undefined, workspaceCounts: boolean, addsUp: boolean): unknown {
  const values = [set?.globalValue, ...(workspaceCounts ? [set?.workspaceValue, set?.workspaceFolderValue] : [])];
  const given = values.filter((value) => value !== undefined);
  return addsUp && given.length > 0 ? [...new Set(given.flat())] : given.at(-1);
}
