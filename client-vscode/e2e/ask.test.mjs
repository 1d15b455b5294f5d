// The extension as a person meets it: installed, asked, clicked, edited under, killed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Person, startEditor } from './editor.mjs';

const PRICING = `"""Prices of a basket."""

VAT_RATE = 0.19


class Basket:
    """What a customer wants to buy."""

    def __init__(self, items):
        self.items = items

    def total(self):
        """The sum of all prices, with tax."""
        net = sum(item.price for item in self.items)
        return net * (1 + VAT_RATE)


def discounted(price, percent):
    """A price less a share of it, never below zero."""
    if percent > 100:
        raise ValueError("more than everything")
    return max(0, price - price * percent / 100)
`;
const CHECKOUT = `from pricing import Basket, discounted


def checkout(items, coupon=None):
    """Let a customer pay for a basket."""
    total = Basket(items).total()
    if coupon is not None:
        total = discounted(total, coupon.percent)
    return total
`;

const COFFEE = `def brew(cups):
    """How much coffee a café brews."""
    return cups * 8
`;

let editor;
let person;
const since = performance.now();
const timed = {};

function pythonServers() {
  const lines = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return lines
    .filter((line) => line.includes(editor.place) && / -m toolrag serve/.test(line))
    .map((line) => Number.parseInt(line, 10));
}

async function setTheme(name) {
  await person.command('Preferences: Color Theme');
  await person.pick(name);
}

async function ask(view, question) {
  await view.locator('textarea').fill(question);
  await view.locator('textarea').press('Enter');
  const exchange = view.locator('.exchange').first();
  await exchange.locator('h2', { hasText: question }).waitFor();
  await exchange.locator('.chip, .no').first().waitFor();
  return exchange;
}

test('the extension, as a person meets it', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'toolrag-shop-'));
  await writeFile(path.join(folder, 'pricing.py'), PRICING);
  await writeFile(path.join(folder, 'checkout.py'), CHECKOUT);
  await writeFile(path.join(folder, 'café #1.py'), COFFEE);
  try {
    editor = await startEditor(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }); // the editor has its own copy
  }
  person = new Person(editor.page);
  let broken = false;
  // Each step goes on from where the one before it left off.
  const step = (name, work) =>
    t.test(name, { skip: broken }, async () => {
      try {
        await work();
      } catch (error) {
        broken = true;
        await person.shot('failed').catch((reason) => console.error(`No screenshot: ${reason.message}`));
        console.error(editor.said().split('\n').slice(-30).join('\n'));
        throw error;
      }
    });
  try {
    await walk(step);
  } finally {
    console.log('seconds', JSON.stringify(timed));
    await editor.close();
  }
});

async function walk(step) {
  let view;

  await step('the first run makes its own environment and is ready', async () => {
    await person.open(editor.url);
    const opened = performance.now();
    await person.see('toolrag');
    await person.command('toolrag: Ask');
    view = await person.askView();
    await person.shot('01-first-run');
    await view.locator('.headline', { hasText: 'ready' }).waitFor({ timeout: 180_000 });
    timed.firstRun = (performance.now() - opened) / 1000;
    await person.shot('02-ready');
  });

  await step('an answer comes claim by claim, each with a chip', async () => {
    const asked = performance.now();
    const exchange = await ask(view, 'How is the total of a basket computed?');
    timed.firstClaim = (performance.now() - asked) / 1000;
    await exchange.locator('.foot', { hasText: 'claim' }).waitFor();
    assert.ok((await exchange.locator('.evidence .line').count()) > 0);
    await person.shot('03-answer-dark');
  });

  await step('a click on a citation lands on its line', async () => {
    const chip = view.locator('.exchange').first().locator('.chip', { hasText: 'pricing.py' }).first();
    const label = await chip.locator('span').innerText();
    await chip.click();
    await person.tab('pricing.py');
    await person.line(Number(/:(\d+)/.exec(label)[1]));
    await person.shot('04-cited');
  });

  await step('lines typed above move the chip, and a click goes to the moved line', async () => {
    const chip = view.locator('.exchange').first().locator('.chip', { hasText: 'pricing.py' }).first();
    const before_ = Number(/:(\d+)/.exec(await chip.locator('span').innerText())[1]);
    await editor.page.locator('.editor-group-container.active .monaco-editor').first().click();
    await editor.page.keyboard.press('Control+Home');
    await editor.page.keyboard.type('# one\n# two\n');
    await chip.locator('span', { hasText: `:${before_ + 2}` }).waitFor();
    await chip.click();
    await person.line(before_ + 2);
    await person.shot('05-moved');
  });

  await step('lines that were deleted are said to be gone or changed', async () => {
    const chip = view.locator('.exchange').first().locator('.chip', { hasText: 'pricing.py' }).first();
    await editor.page.locator('.editor-group-container.active .monaco-editor').first().click();
    await editor.page.keyboard.press('Control+A');
    await editor.page.keyboard.press('Delete');
    await chip.locator('b', { hasText: /gone|changed/ }).waitFor();
    await chip.click();
    await person.see('as cited');
    await person.shot('06-gone-diff');
    await editor.page.keyboard.press('Control+W');
    await person.tab('pricing.py');
    await editor.page.locator('.editor-group-container.active .monaco-editor').first().click();
    await editor.page.keyboard.press('Control+Z');
    await chip.locator('b', { hasText: '✓' }).waitFor();
  });

  await step('all citations of an answer show in a peek view', async () => {
    await view.locator('.exchange').first().getByRole('button', { name: 'Show all' }).click();
    await editor.page
      .locator('.monaco-editor .peekview-widget .monaco-list-row', { hasText: 'checkout' })
      .first()
      .waitFor();
    await person.shot('07-peek');
    await editor.page.keyboard.press('Escape');
  });

  await step('an answer is copied with pinned citations', async () => {
    await view.locator('.exchange').first().getByRole('button', { name: 'Copy' }).click();
    await person.see('copied as Markdown');
    const copied = await editor.page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^\*\*How is the total of a basket computed\?\*\*/);
    assert.match(copied, /`pricing\.py:\d+-\d+@[0-9a-f]{12}`/);
  });

  await step('the symbol under the cursor is explained', async () => {
    await person.openFile('checkout.py');
    await person.goTo(4, 6);
    await person.command('toolrag: Explain This Symbol');
    const explained = view.locator('.exchange', { has: view.locator('h2', { hasText: '`checkout`' }) }).first();
    await explained.locator('.chip', { hasText: 'checkout.py' }).first().waitFor();
  });

  await step('a question about a selection says which', async () => {
    await editor.page.locator('.editor-group-container.active .monaco-editor').first().click();
    await editor.page.keyboard.press('Control+A');
    await person.command('toolrag: Ask About the Selection');
    await view.locator('.pill', { hasText: 'selection: checkout.py 1-9' }).waitFor();
    const exchange = await ask(view, 'When is a price discounted?');
    await exchange.locator('.chip').first().waitFor();
  });

  await step('a file with a blank, a # and an é in its name opens too', async () => {
    const exchange = await ask(view, 'What does brew do?');
    await exchange.locator('.chip', { hasText: 'café #1.py' }).first().click();
    await person.tab('café #1.py');
  });

  await step('what nothing supports is not answered', async () => {
    const exchange = await ask(view, 'Where is the kubernetes redis cache flushed?');
    await exchange.locator('.no').waitFor();
    await person.shot('08-not-found');
  });

  await step('the arrow keys bring earlier questions back', async () => {
    const box = view.locator('textarea');
    await box.press('ArrowUp');
    assert.equal(await box.inputValue(), 'Where is the kubernetes redis cache flushed?');
    await box.press('ArrowUp');
    assert.equal(await box.inputValue(), 'What does brew do?');
    await box.press('ArrowDown');
    await box.press('ArrowDown');
    assert.equal(await box.inputValue(), '');
  });

  await step('a server that is killed comes back, and the next question is answered', async () => {
    const [pid] = pythonServers();
    assert.ok(pid, 'a server runs');
    process.kill(pid, 'SIGKILL');
    const exchange = await ask(view, 'What does checkout return?');
    await exchange.locator('.chip', { hasText: 'checkout.py' }).first().waitFor();
    assert.notEqual(pythonServers()[0], pid);
    await person.shot('09-after-kill');
  });

  await step('an agent’s tools find, read and check', async () => {
    await person.command('Fake Model: Use the Tools');
    await person.see('TOOLS checkout.py:');
    await person.see(': verified');
    await editor.page.keyboard.press('Escape');
  });

  await step('@toolrag answers in the chat with the editor’s model, and its anchor lands on the line', async () => {
    await person.command('toolrag: Choose Model');
    await person.pick('The editor’s model');
    await person.pick('Scripted One');
    await view.locator('.pill', { hasText: 'The editor’s model' }).waitFor();
    await person.command('Chat: Open Chat');
    await person.see('Scripted One');
    await editor.page.locator('.interactive-session .interactive-input-part .monaco-editor').first().click();
    await editor.page.keyboard.type('@toolrag what does checkout return', { delay: 15 });
    await editor.page.keyboard.press('Escape');
    await editor.page.keyboard.press('Enter');
    const response = editor.page.locator('.interactive-response', { hasText: 'return total' }).last();
    await response.waitFor();
    await person.shot('11-chat');
    await response.locator('.chat-inline-anchor-widget, a', { hasText: 'checkout.py' }).last().click();
    await person.tab('checkout.py');
    await person.line(9);
  });

  await step('a question that takes long is stopped', async () => {
    await view.locator('textarea').fill('What does discounted do? take your time');
    await view.locator('textarea').press('Enter');
    const exchange = view.locator('.exchange').first();
    await exchange.locator('.doing', { hasText: 'waiting for the model' }).waitFor();
    await person.shot('12-running');
    await view.getByRole('button', { name: 'Stop' }).click();
    await exchange.locator('.doing', { hasText: 'Stopped.' }).waitFor();
    await view.getByRole('button', { name: 'Ask', exact: true }).waitFor();
  });

  await step('in a light theme', async () => {
    await setTheme('Light Modern');
    await editor.page.locator('.monaco-workbench.vs').waitFor();
    await person.shot('13-light');
    await setTheme('Dark High Contrast');
    await editor.page.locator('.monaco-workbench.hc-black').waitFor();
    await person.shot('14-high-contrast');
  });

  timed.all = (performance.now() - since) / 1000;
}
