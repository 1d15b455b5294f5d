// The Ask view's page: a box to ask in, and the answers under it.
import type { FromView, ToView, ViewState } from '../shared/view';
import { visible } from '../shared/words';
import { exchange, type Folds } from './render';
import type { Tree } from './tree';

declare function acquireVsCodeApi(): {
  postMessage(message: FromView): void;
  getState(): unknown;
  setState(state: unknown): void;
};

const host = acquireVsCodeApi();
const kept = (host.getState() ?? {}) as { folds?: Record<string, boolean>; draft?: string };
const folded: Record<string, boolean> = kept.folds ?? {};
const folds: Folds = { isOpen: (key, atFirst) => folded[key] ?? atFirst };
const shown = new Map<string, { said: string; element: Element }>();
let state: ViewState | undefined;
let recalled = -1;
let announced = '';

function make<K extends keyof HTMLElementTagNameMap>(tag: K, of: Record<string, string> = {}, ...inside: Node[]) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(of)) {
    element.setAttribute(name, value);
  }
  element.append(...inside);
  return element;
}

function button(label: string, of: Record<string, string>): HTMLButtonElement {
  const made = make('button', { type: 'button', ...of });
  made.textContent = label;
  return made;
}

const headline = make('div', { class: 'headline' });
const box = make('textarea', { rows: '2', 'aria-label': 'Question', placeholder: 'Ask about this workspace' });
const model = button('', { class: 'pill', title: 'Choose who answers' });
const scope = button('', { class: 'pill', title: 'Questions are about these files; change it in the settings' });
const selection = button('', { class: 'pill', title: 'The question is about this selection; click to leave it out' });
const follows = button('', { class: 'pill', title: 'The question follows on this answer; click to leave it out' });
const go = button('Ask', { class: 'go' });
const bar = make('div', { class: 'bar', role: 'progressbar', 'aria-label': 'Indexing' });
const banner = make('div', { class: 'banner' });
const answers = make('div', { class: 'answers' });
const live = make('div', { class: 'aloud', role: 'status', 'aria-live': 'polite' });
const row = make('div', { class: 'row' }, model, scope, selection, follows, go);
document.body.append(headline, make('div', { class: 'box' }, box, row), bar, banner, answers, live);
box.value = kept.draft ?? '';

function remember(): void {
  host.setState({ folds: folded, draft: box.value });
}

/** A tree as elements: by name and text alone, never as markup. */
function mount(tree: Tree): Node {
  if (typeof tree === 'string') {
    return document.createTextNode(tree);
  }
  return make(tree.tag, tree.attributes, ...tree.children.map(mount));
}

function show(now: ViewState): void {
  state = now;
  headline.textContent = now.headline;
  pill(model, `${now.model} ▾`);
  pill(scope, now.scope);
  pill(selection, now.selection && `${now.selection} ×`);
  pill(follows, now.follows && `follows “${now.follows}” ×`);
  go.textContent = now.running ? 'Stop' : 'Ask';
  go.disabled = !now.running && !now.canAsk;
  box.disabled = !now.canAsk;
  bar.classList.toggle('running', now.running && now.share === undefined);
  bar.style.setProperty('--share', now.share === undefined ? '0' : String(now.share));
  bar.hidden = now.share === undefined && !now.running;
  showBanner(now);
  showExchanges(now);
}

function pill(of: HTMLElement, text: string): void {
  of.textContent = visible(text);
  of.hidden = text === '';
}

function showBanner(now: ViewState): void {
  const said = JSON.stringify(now.banner ?? null);
  if (banner.dataset.said === said) {
    return;
  }
  banner.dataset.said = said;
  banner.hidden = !now.banner;
  const sentence = make('p');
  sentence.textContent = now.banner?.sentence ?? '';
  const buttons = (now.banner?.buttons ?? []).map((one) =>
    button(one.label, { 'data-act': 'command', 'data-command': one.command }),
  );
  banner.replaceChildren(sentence, ...buttons);
}

/** Only what changed is made anew; the focus stays where it was. */
function showExchanges(now: ViewState): void {
  const focused = (document.activeElement as HTMLElement | null)?.dataset.focus;
  const keys = new Set(now.exchanges.map((one) => one.key));
  for (const [key, { element }] of shown) {
    if (!keys.has(key)) {
      element.remove();
      shown.delete(key);
    }
  }
  now.exchanges.forEach((one, index) => {
    const current = now.current?.exchange === one.key ? now.current.citation : undefined;
    const tree = exchange(one, { folds, current });
    const said = JSON.stringify(tree);
    const before = shown.get(one.key);
    let element = before?.element;
    if (before?.said !== said || !element) {
      const made = mount(tree) as Element;
      element?.replaceWith(made);
      element = made;
      shown.set(one.key, { said, element });
    }
    if (answers.children[index] !== element) {
      answers.insertBefore(element, answers.children[index] ?? null);
    }
  });
  if (focused !== undefined && (document.activeElement === document.body || !document.activeElement)) {
    const again = [...answers.querySelectorAll<HTMLElement>('[data-focus]')].find(
      (one) => one.dataset.focus === focused,
    );
    again?.focus({ preventScroll: true });
  }
  sayAloud(now);
}

function sayAloud(now: ViewState): void {
  const newest = now.exchanges[0];
  if (!newest) {
    return;
  }
  const claims = newest.claims.length;
  const said =
    newest.state === 'running'
      ? claims > 0
        ? `Claim ${claims}: ${newest.claims[claims - 1]?.text ?? ''}`
        : 'Searching'
      : (newest.failure ?? newest.answer?.reason?.message ?? `${claims} claims, all checked.`);
  if (said !== announced) {
    announced = said;
    live.textContent = visible(said);
  }
}

function ask(): void {
  const question = box.value.trim();
  if (question === '' || !state?.canAsk || state.running) {
    return;
  }
  recalled = -1;
  box.value = '';
  remember();
  host.postMessage({ kind: 'ask', question });
}

go.addEventListener('click', () => (state?.running ? host.postMessage({ kind: 'stop' }) : ask()));
model.addEventListener('click', () => host.postMessage({ kind: 'chooseModel' }));
scope.addEventListener('click', () => host.postMessage({ kind: 'editScope' }));
selection.addEventListener('click', () => host.postMessage({ kind: 'dropSelection' }));
follows.addEventListener('click', () => host.postMessage({ kind: 'dropFollows' }));
box.addEventListener('input', remember);

box.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    ask();
  } else if (event.key === 'Escape' && state?.running) {
    host.postMessage({ kind: 'stop' });
  } else if (event.key === 'ArrowUp' && !box.value.slice(0, box.selectionStart).includes('\n')) {
    recall(1, event);
  } else if (event.key === 'ArrowDown' && !box.value.slice(box.selectionEnd).includes('\n')) {
    recall(-1, event);
  }
});

/** Earlier questions, as a shell has them. */
function recall(step: number, event: Event): void {
  const history = state?.history ?? [];
  const next = recalled + step;
  if (next < -1 || next >= history.length) {
    return;
  }
  event.preventDefault();
  recalled = next;
  box.value = history[next] ?? '';
  remember();
}

document.body.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : undefined;
  const folding = target?.closest<HTMLElement>('[data-fold]')?.dataset.fold;
  if (folding !== undefined && state) {
    const open = target?.closest('[data-fold]')?.getAttribute('aria-expanded') === 'true';
    folded[folding] = !open;
    remember();
    show(state);
    return;
  }
  const acting = target?.closest<HTMLElement>('[data-act]');
  if (acting) {
    const { act, exchange: of, citation, index, command } = acting.dataset;
    host.postMessage({ kind: act, exchange: of, citation, index: Number(index), command } as FromView);
  }
});

window.addEventListener('message', (event: MessageEvent<ToView>) => {
  if (event.data.kind === 'state') {
    show(event.data.state);
  } else {
    box.focus();
  }
});

host.postMessage({ kind: 'ready' });
