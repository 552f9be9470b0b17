// Runs a TypeScript program of this repository: `node scripts/run.mjs src/cli/main.ts --help`.
import { join } from 'node:path';
import { handOver } from './child.mjs';
import { ensureDependencies, fail, root, SystemError, say } from './dependencies.mjs';

const [program, ...args] = process.argv.slice(2);
if (!program) fail('usage: node scripts/run.mjs PROGRAM [ARGUMENTS]');

/** Commands that open no device. */
const NO_GPU = ['rules', 'metrics', 'why', 'import', 'exec', 'problems', 'help', '--version'];

/** What opens no device must not wait for a driver, and nothing must be installed for it. */
function needsGpu() {
  const [command] = args;
  if (program === 'src/cli/main.ts' && NO_GPU.includes(command ?? '')) return false;
  if (program === 'src/cli/main.ts' && command === 'lab') return ['run', 'check'].includes(args[1] ?? '');
  if (program === 'src/cli/main.ts' && command === 'challenge') return args.some((arg) => arg.startsWith('--make'));
  if (program === 'bench/sandbox.ts' || program === 'scripts/kernels.ts') return false;
  if (program === 'test/fuzz/main.ts') return args.includes('devices');
  const asked = (/** @type {string} */ option) => args.includes(option);
  const onCpu = asked('--device=cpu') || args[args.indexOf('--device') + 1] === 'cpu';
  return !(asked('--help') || asked('-h') || onCpu);
}

/** @type {Record<string, string>} */
let environment = {};
try {
  ensureDependencies();
  const { ensureSystem } = await import('./system.mjs');
  if (needsGpu()) environment = await ensureSystem({ gpu: true });
} catch (error) {
  // Not everything needs a GPU: without one the program starts all the same, and nodeGpu() fails where it is called.
  if (!(error instanceof SystemError)) fail(error);
  say(error.message);
}

const tsx = new URL('../node_modules/tsx/dist/esm/index.mjs', import.meta.url).href;
handOver(['--import', tsx, join(root, program), ...args], {
  // The caller's folder, so that file names among the arguments mean what the caller meant.
  cwd: process.env.INIT_CWD ?? process.cwd(),
  env: { ...process.env, ...environment, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
});
