// `npm run test:python`: makes an environment of Python packages from python/requirements.lock, builds the package as a wheel,
// runs its tests with verl, TRL and Ray, and ends with "N passed, N failed" like the other suites. Arguments go to pytest.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, root, SetupError, say } from './dependencies.mjs';
import { junitCounts } from './results.mjs';

const PACKAGE = join(root, 'python');
const LOCK = join(PACKAGE, 'requirements.lock');
const FOLDER = join(PACKAGE, '.venv');
const STAMP = join(FOLDER, 'turnwise-lock');
const BIN = join(FOLDER, process.platform === 'win32' ? 'Scripts' : 'bin');

/** Nothing is looked up at a hub or reported to anybody, and Ray keeps no token in the home folder. */
const QUIET = {
  HF_HUB_OFFLINE: '1',
  TOKENIZERS_PARALLELISM: 'false',
  RAY_USAGE_STATS_ENABLED: '0',
  RAY_AUTH_MODE: 'disabled',
};

/** @param {string} program @param {string[]} args @param {string} [cwd] */
function run(program, args, cwd = root) {
  const env = { ...process.env, ...QUIET };
  return spawnSync(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] }).status;
}

/** @param {string[]} args */
function pip(args) {
  const status = run(join(BIN, 'python'), ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args]);
  if (status !== 0) throw new SetupError(`pip ${args[0]} failed; its messages are above.`);
}

/** The packages of the lock file, installed anew where the file has changed. @returns the environment's Python */
function environment() {
  const python = join(BIN, 'python');
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return python;
  rmSync(FOLDER, { recursive: true, force: true });
  say('Installing Python packages (python/requirements.lock, about 2 GB) ...');
  if (run('python3', ['-m', 'venv', FOLDER]) !== 0)
    throw new SetupError('python3 -m venv failed: Python 3.11 is needed.');
  // Torch first: with it installed, no other package asks for a build with CUDA.
  pip([
    'install',
    ...readFileSync(LOCK, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('torch==')),
  ]);
  pip(['install', '--prefer-binary', '-r', LOCK]);
  writeFileSync(STAMP, lock);
  return python;
}

/** Builds the package as people get it, and installs that: its entry point is what verl looks for. */
function installWheel() {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-wheel-'));
  try {
    pip(['wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', folder, PACKAGE]);
    const wheels = readdirSync(folder).filter((name) => name.endsWith('.whl'));
    pip(['install', '--no-deps', '--force-reinstall', ...wheels.map((name) => join(folder, name))]);
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(join(PACKAGE, 'build'), { recursive: true, force: true });
  }
}

try {
  const python = environment();
  installWheel();
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-python-'));
  const report = join(folder, 'results.xml');
  const status = run(python, ['-m', 'pytest', `--junitxml=${report}`, ...process.argv.slice(2)], PACKAGE);
  const { passed, failed } = junitCounts(existsSync(report) ? readFileSync(report, 'utf8') : undefined, status);
  rmSync(folder, { recursive: true });
  process.stdout.write(`python: ${passed} passed, ${failed} failed.\n\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
} catch (error) {
  fail(error);
}
