// Runs a TypeScript program of this repository: `node scripts/run.mjs src/cli/main.ts --help`.
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { ensureDependencies, fail, root } from './dependencies.mjs';
import { requiresAdapter } from './gpu.mjs';

const [program, ...args] = process.argv.slice(2);
if (!program) fail('usage: node scripts/run.mjs PROGRAM [ARGUMENTS]');

/** @type {Record<string, string>} */
let environment = {};
try {
  ensureDependencies();
  if (requiresAdapter(program, args)) {
    const { ensureSystem } = await import('./system.mjs');
    environment = await ensureSystem({ gpu: true });
  }
} catch (error) {
  fail(error);
}

const tsx = new URL('../node_modules/tsx/dist/esm/index.mjs', import.meta.url).href;
runChild(['--import', tsx, join(root, program), ...args], {
  // The folder of the caller, because file names in the arguments are relative to it.
  cwd: process.env.INIT_CWD ?? process.cwd(),
  env: { ...process.env, ...environment, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
});
