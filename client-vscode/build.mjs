// Bundles the extension and its webview into dist/, or with --tests the unit tests into dist/test/.
import { readdir, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const common = { bundle: true, sourcemap: false, logLevel: 'warning', legalComments: 'none' };

if (process.argv.includes('--tests')) {
  await rm('dist/test', { recursive: true, force: true });
  const names = (await readdir('test')).filter((name) => name.endsWith('.test.ts'));
  await build({
    ...common,
    entryPoints: names.map((name) => `test/${name}`),
    outdir: 'dist/test',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
} else {
  await build({
    ...common,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    minify: true,
  });
  await build({
    ...common,
    entryPoints: ['src/webview/main.ts', 'src/webview/style.css'],
    outdir: 'dist/webview',
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    minify: true,
  });
}
