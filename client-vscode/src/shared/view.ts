// What the Ask view is told, and what it says. The view is a web page: what comes from it is checked.
import type { Exchange } from './exchange';

export interface Banner {
  sentence: string;
  buttons: { label: string; command: BannerCommand }[];
}

export const BANNER_COMMANDS = [
  'workbench.action.files.openFolder',
  'toolrag.restart',
  'toolrag.showLog',
  'toolrag.indexStatus',
  'toolrag.chooseModel',
  'toolrag.reindex',
  'toolrag.howItWorks',
] as const;
export type BannerCommand = (typeof BANNER_COMMANDS)[number];

export interface ViewState {
  headline: string;
  /** Share of the files that are indexed, while it runs: 0 to 1. */
  share?: number;
  banner?: Banner;
  canAsk: boolean;
  model: string;
  scope: string;
  selection: string;
  follows: string;
  running: boolean;
  history: string[];
  exchanges: Exchange[];
  /** The citation that was opened last. */
  current?: { exchange: string; citation: string };
}

export type ToView = { kind: 'state'; state: ViewState } | { kind: 'focus' };

export type FromView =
  | { kind: 'ready' | 'stop' | 'chooseModel' | 'dropSelection' | 'dropFollows' | 'editScope' }
  | { kind: 'ask'; question: string }
  | { kind: 'open'; exchange: string; citation: string }
  | { kind: 'look'; exchange: string; index: number }
  | { kind: 'recheck' | 'showAll' | 'copy' | 'follow' | 'replay' | 'again'; exchange: string }
  | { kind: 'command'; command: BannerCommand };

const PLAIN = ['ready', 'stop', 'chooseModel', 'dropSelection', 'dropFollows', 'editScope'] as const;
const OF_EXCHANGE = ['recheck', 'showAll', 'copy', 'follow', 'replay', 'again'] as const;
export const MOST_CHARACTERS = 20_000;

/** What the view said; undefined for anything else. */
export function fromView(given: unknown): FromView | undefined {
  if (typeof given !== 'object' || given === null) {
    return undefined;
  }
  const { kind, question, exchange, citation, index, command } = given as Record<string, unknown>;
  const plain = PLAIN.find((one) => one === kind);
  if (plain) {
    return { kind: plain };
  }
  if (kind === 'ask' && typeof question === 'string' && question.trim() !== '') {
    return { kind, question: question.slice(0, MOST_CHARACTERS) };
  }
  if (kind === 'command') {
    const known = BANNER_COMMANDS.find((one) => one === command);
    return known && { kind, command: known };
  }
  if (typeof exchange !== 'string') {
    return undefined;
  }
  const named = OF_EXCHANGE.find((one) => one === kind);
  if (named) {
    return { kind: named, exchange };
  }
  if (kind === 'open' && typeof citation === 'string') {
    return { kind, exchange, citation };
  }
  return kind === 'look' && typeof index === 'number' && Number.isInteger(index)
    ? { kind, exchange, index }
    : undefined;
}
