// What the .vsix carries besides the extension: the server's wheel, the licence, the changelog.
// PYTHON names another Python than python3.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';

rmSync('wheels', { recursive: true, force: true });
mkdirSync('wheels');
const args = [
  '-m',
  'pip',
  'wheel',
  '--quiet',
  '--disable-pip-version-check',
  '--no-deps',
  '--wheel-dir',
  'wheels',
  '..',
];
execFileSync(process.env.PYTHON ?? 'python3', args, { stdio: ['ignore', 'inherit', 'inherit'] });
for (const name of ['LICENSE', 'CHANGELOG.md']) {
  copyFileSync(`../${name}`, name);
}
console.log(`The .vsix will carry ${readdirSync('wheels').join(', ')}.`);
