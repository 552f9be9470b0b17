// Suite `python`: makes an environment with packages of python/requirements.lock, builds the package as a wheel and runs its
// tests. `--fast` leaves out python/tests/frameworks, so that pytest is enough and torch, verl, TRL and Ray are not installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, SetupError, say } from './dependencies.mjs';
import { junitCounts } from './results.mjs';

const PACKAGE = join(root, 'python');
const LOCK = join(PACKAGE, 'requirements.lock');
/** Packages of the fast environment; their versions are in the lock file. */
const FAST = ['pytest', 'setuptools'];

/** @typedef {{ python: string, stamp: string, folder: string }} Place of an environment */

/** @param {string} name @returns {Place} */
function environmentFolder(name) {
  const folder = join(PACKAGE, name);
  const python = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin', 'python');
  return { folder, python, stamp: join(folder, 'turnwise-lock') };
}

/** Nothing is looked up at a hub or reported to anybody, and Ray keeps no token in the home folder. */
const OFFLINE = {
  HF_HUB_OFFLINE: '1',
  TOKENIZERS_PARALLELISM: 'false',
  RAY_USAGE_STATS_ENABLED: '0',
  RAY_AUTH_MODE: 'disabled',
};

/** @param {string} program @param {string[]} args @param {string} [cwd] */
function run(program, args, cwd = root) {
  const env = { ...process.env, ...OFFLINE };
  return spawnSync(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] }).status;
}

/** @param {string} python @param {string[]} args */
function pip(python, args) {
  const status = run(python, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args]);
  if (status !== 0) throw new SetupError(`pip ${args[0]} failed; its messages are above.`);
}

/**
 * Installs the packages of the lock file, again if the file has changed. The fast tests use the full environment if it is current.
 * @param {boolean} fast
 * @returns the environment's Python
 */
function environment(fast) {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  const current = (/** @type {Place} */ { stamp }) => existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
  const [full, small] = [environmentFolder('.venv'), environmentFolder('.venv-fast')];
  if (current(full)) return full.python;
  const { folder, python, stamp } = fast ? small : full;
  if (fast && current(small)) return python;
  rmSync(folder, { recursive: true, force: true });
  say(`Installing Python packages (python/requirements.lock, ${fast ? FAST.join(', ') : 'about 2 GB'}) ...`);
  if (run('python3', ['-m', 'venv', folder]) !== 0)
    throw new SetupError('python3 -m venv failed: Python 3.11 is needed.');
  if (fast) pip(python, ['install', '--constraint', LOCK, ...FAST]);
  else {
    // Torch first: with it installed, no other package asks for a build with CUDA.
    const torch = readFileSync(LOCK, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('torch=='));
    pip(python, ['install', ...torch]);
    pip(python, ['install', '--prefer-binary', '-r', LOCK]);
  }
  writeFileSync(stamp, lock);
  return python;
}

/** Builds the package as people get it, and installs that: its entry point is what verl looks for. @param {string} python */
function installWheel(python) {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-wheel-'));
  try {
    pip(python, ['wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', folder, PACKAGE]);
    const wheels = readdirSync(folder).filter((name) => name.endsWith('.whl'));
    pip(python, ['install', '--no-deps', '--force-reinstall', ...wheels.map((name) => join(folder, name))]);
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(join(PACKAGE, 'build'), { recursive: true, force: true });
  }
}

/**
 * Runs the Python tests.
 * @param {readonly string[]} args `--fast` for the tests without a trainer; the others go to pytest
 * @returns {import('./suites.mjs').Result}
 */
export function pythonTests(args) {
  const fast = args.includes('--fast');
  const python = environment(fast);
  installWheel(python);
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-python-'));
  const report = join(folder, 'results.xml');
  const chosen = [...(fast ? ['--ignore=tests/frameworks'] : []), ...args.filter((arg) => arg !== '--fast')];
  const status = run(python, ['-m', 'pytest', `--junitxml=${report}`, ...chosen], PACKAGE);
  const count = junitCounts(existsSync(report) ? readFileSync(report, 'utf8') : undefined, status);
  rmSync(folder, { recursive: true });
  return { ...count, failures: count.failed > 0 ? [{ name: 'python', line: 'the messages of pytest are above' }] : [] };
}
