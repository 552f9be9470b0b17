// `npm start`, `npm run build`, `npm run preview`: installs missing packages and runs Vite.
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { ensureDependencies, fail, root } from './dependencies.mjs';

try {
  ensureDependencies();
} catch (error) {
  fail(error);
}
runChild([join(root, 'node_modules/vite/bin/vite.js'), ...process.argv.slice(2)], { cwd: root });
