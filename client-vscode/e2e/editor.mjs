// A VS Code of its own, with a profile, a home and a folder that are thrown away.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const { E2E_CHROMIUM, E2E_TOOLS, E2E_VSIX, E2E_MODEL_VSIX, E2E_SHOTS } = process.env;
const { chromium } = createRequire(`${E2E_TOOLS}/`)('playwright-core');
const codeServer = path.join(E2E_TOOLS, 'node_modules/code-server/out/node/entry.js');
const FIRST_MS = 120_000;
const NEXT_MS = 30_000;

const SETTINGS = {
  'telemetry.telemetryLevel': 'off',
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.startupEditor': 'none',
  'workbench.editor.empty.hint': 'hidden',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'security.workspace.trust.enabled': false,
  'chat.commandCenter.enabled': false,
  'window.commandCenter': false,
  'toolrag.index.vectors': 'exact',
};

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** On a busy machine a browser can fail to start in its own time: it is started twice at most. */
async function startBrowser() {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
  const options = { executablePath: E2E_CHROMIUM, args };
  try {
    return await chromium.launch(options);
  } catch (error) {
    console.error(`The browser did not start: ${error.message.split('\n')[0]}`);
    return chromium.launch(options);
  }
}

/** A running VS Code with the packaged extension in it. `close` ends it and removes what it had. */
export async function startEditor(folder, settings = {}) {
  const place = await mkdtemp(path.join(tmpdir(), 'toolrag-e2e-'));
  const at = (name) => path.join(place, name);
  await mkdir(at('data/User'), { recursive: true });
  await mkdir(at('home'));
  await mkdir(E2E_SHOTS, { recursive: true });
  await cp(folder, at('shop folder'), { recursive: true });
  await writeFile(at('data/User/settings.json'), JSON.stringify({ ...SETTINGS, ...settings }));
  const own = {
    ...process.env,
    HOME: at('home'),
    XDG_CACHE_HOME: at('home/.cache'),
    XDG_CONFIG_HOME: at('home/.config'),
  };
  for (const name of ['PORT', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'VSCODE_IPC_HOOK_CLI']) {
    delete own[name];
  }
  const profile = ['--user-data-dir', at('data'), '--extensions-dir', at('extensions')];
  const run = promisify(execFile);
  for (const vsix of [E2E_VSIX, E2E_MODEL_VSIX]) {
    await run(process.execPath, [codeServer, ...profile, '--install-extension', vsix], { env: own });
  }
  const port = await freePort();
  const flags = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'];
  const more = ['--disable-getting-started-override', '--reconnection-grace-time', '2'];
  const server = spawn(process.execPath, [codeServer, ...profile, ...flags, ...more], {
    env: own,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const listening = new Promise((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (data) => {
        said += data;
        if (/HTTP server listening/.test(said)) {
          resolve();
        }
      });
    }
    server.once('exit', () => reject(new Error(`code-server ended:\n${said}`)));
  });
  let browser;
  const close = async () => {
    await browser?.close();
    if (server.exitCode === null && server.signalCode === null) {
      process.kill(-server.pid, 'SIGTERM');
      await once(server, 'exit');
    }
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await listening;
    browser = await startBrowser();
  } catch (error) {
    await close();
    throw error;
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // Nothing outside this machine is asked for anything.
  await context.route(
    (url) => url.protocol.startsWith('http') && url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  const page = await context.newPage();
  page.setDefaultTimeout(NEXT_MS);
  return {
    page,
    place,
    workspace: at('shop folder'),
    url: `http://127.0.0.1:${port}/?folder=${encodeURIComponent(at('shop folder'))}`,
    said: () => said,
    close,
  };
}

/** What a person does, and waits to see. */
export class Person {
  constructor(page) {
    this.page = page;
  }

  async open(url) {
    await this.page.goto(url);
    await this.page.locator('.monaco-workbench .statusbar-item').first().waitFor({ timeout: FIRST_MS });
  }

  async shot(name) {
    await this.page.screenshot({ path: path.join(E2E_SHOTS, `${name}.png`) });
  }

  /** Wait until the page has a text, blanks of any kind alike. */
  async see(text, timeout = NEXT_MS) {
    const has = (wanted) => document.body.innerText.replace(/\u00a0/g, ' ').includes(wanted);
    await this.page.waitForFunction(has, text, { timeout });
  }

  async command(title) {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget .quick-input-filter input').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(`>${title}`);
    const names = this.page.locator('.quick-input-list .monaco-list-row .label-name');
    await names.getByText(title, { exact: true }).first().click();
  }

  /** Choose a row of the quick pick that is open, or about to be: its list shows only what fits. */
  async pick(text) {
    const input = this.page
      .locator('.quick-input-widget input[type=text], .quick-input-widget .quick-input-filter input')
      .first();
    const wanted = this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: text }).first();
    const end = Date.now() + NEXT_MS;
    for (;;) {
      await input.fill(text);
      try {
        await wanted.waitFor({ timeout: 1_000 });
        break;
      } catch (error) {
        if (Date.now() > end) {
          throw error;
        }
      }
    }
    await this.page.keyboard.press('Enter');
  }

  async openFile(name) {
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget .quick-input-filter input').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(name);
    await this.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.tab(name);
  }

  async goTo(line, column) {
    await this.page.keyboard.press('Control+G');
    const input = this.page.locator('.quick-input-widget .quick-input-filter input').first();
    await input.waitFor({ state: 'visible' });
    await input.fill(`:${line}:${column}`);
    await this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: `line ${line} at column ${column}` })
      .first()
      .waitFor();
    await input.press('Enter');
    await input.waitFor({ state: 'hidden' });
    await this.line(line);
  }

  async tab(name) {
    await this.page.locator(`.editor-group-container.active .tab.active[data-resource-name="${name}"]`).waitFor();
  }

  /** Wait until the status bar says that the cursor is in a line. */
  async line(n) {
    const at = (wanted) => {
      const shown = document.getElementById('status.editor.selection')?.innerText.replace(/\u00a0/g, ' ') ?? '';
      return new RegExp(`Ln ${wanted}\\b`).test(shown);
    };
    await this.page.waitForFunction(at, n);
  }

  /** The Ask view's own page, two frames down. */
  async askView(timeout = NEXT_MS) {
    const outer = this.page.frameLocator('iframe.webview.ready').first();
    const inner = outer.frameLocator('iframe#active-frame');
    await inner.locator('textarea').waitFor({ timeout });
    return inner;
  }
}
