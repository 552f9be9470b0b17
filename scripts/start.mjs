// `npm start`, `npm run build`, `npm run preview`: Vite, after installing the packages on a fresh clone.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, fail, root } from './dependencies.mjs';

try {
  ensureDependencies();
} catch (error) {
  fail(error);
}
const vite = spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
// Ctrl-C reaches the child by itself, being in the same terminal; a `kill` of this process must be handed on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => vite.kill('SIGTERM'));
vite.on('exit', (code, signal) => process.exit(signal ? 0 : (code ?? 1)));
