// `npm start`, `npm run build`, `npm run preview`: Vite, after installing the packages on a fresh clone.
import { join } from 'node:path';
import { handOver } from './child.mjs';
import { ensureDependencies, fail, root } from './dependencies.mjs';

try {
  ensureDependencies();
} catch (error) {
  fail(error);
}
handOver([join(root, 'node_modules/vite/bin/vite.js'), ...process.argv.slice(2)], { cwd: root });
