// Suite `python`: installs the packages of python/requirements.lock, builds the package as a wheel and runs its tests.
// `--fast` omits python/tests/frameworks, so that torch, verl, TRL and Ray need not be installed.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logProgress, root, SetupError } from './dependencies.mjs';
import { junitCounts } from './results.mjs';
import { program } from './suites.mjs';

const PACKAGE = join(root, 'python');
const LOCK = join(PACKAGE, 'requirements.lock');
/** Packages of the fast environment; their versions are in the lock file. */
const FAST = ['pytest', 'setuptools'];

/** @typedef {{ python: string, stamp: string, folder: string }} Place of an environment */
/** @typedef {import('./suites.mjs').How} How */

/** @param {string} name @returns {Place} */
function environmentFolder(name) {
  const folder = join(PACKAGE, name);
  const python = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin', 'python');
  return { folder, python, stamp: join(folder, 'turnwise-lock') };
}

/** Variables that disable requests to Hugging Face, and Ray's usage reports and its token in the home folder. */
const OFFLINE = {
  HF_HUB_OFFLINE: '1',
  TOKENIZERS_PARALLELISM: 'false',
  RAY_USAGE_STATS_ENABLED: '0',
  RAY_AUTH_MODE: 'disabled',
};

/** @param {string} python @param {string[]} args @param {How} how */
async function pip(python, args, how) {
  const status = await program(python, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args], how);
  if (status !== 0) throw new SetupError(`pip ${args[0]} failed; its messages are above.`);
}

/**
 * Installs the packages of the lock file, unless an environment for the current file exists. The fast tests also use
 * the full environment if it is current.
 * @param {boolean} fast
 * @param {How} how
 * @returns {Promise<string>} path of the Python executable of the environment
 */
async function environment(fast, how) {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  const current = (/** @type {Place} */ { stamp }) => existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
  const [full, small] = [environmentFolder('.venv'), environmentFolder('.venv-fast')];
  if (current(full)) return full.python;
  const { folder, python, stamp } = fast ? small : full;
  if (fast && current(small)) return python;
  rmSync(folder, { recursive: true, force: true });
  logProgress(`Installing Python packages (python/requirements.lock, ${fast ? FAST.join(', ') : 'about 2 GB'}) ...`);
  if ((await program('python3', ['-m', 'venv', folder], how)) !== 0)
    throw new SetupError('python3 -m venv failed: Python 3.11 is needed.');
  if (fast) await pip(python, ['install', '--constraint', LOCK, ...FAST], how);
  else {
    // Torch is installed first, so that no other package installs a build of torch with CUDA.
    const torch = readFileSync(LOCK, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('torch=='));
    await pip(python, ['install', ...torch], how);
    await pip(python, ['install', '--prefer-binary', '-r', LOCK], how);
  }
  writeFileSync(stamp, lock);
  return python;
}

/**
 * Builds the package as a wheel, as users receive it, and installs the wheel. verl loads the entry point of an
 * installed package. @param {string} python @param {How} how
 */
async function installWheel(python, how) {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-wheel-'));
  try {
    await pip(python, ['wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', folder, PACKAGE], how);
    const wheels = readdirSync(folder).filter((name) => name.endsWith('.whl'));
    await pip(python, ['install', '--no-deps', '--force-reinstall', ...wheels.map((name) => join(folder, name))], how);
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(join(PACKAGE, 'build'), { recursive: true, force: true });
  }
}

/**
 * Runs the Python tests.
 * @param {How} given `--fast` in `args` omits the tests with a trainer; the other arguments are passed to pytest
 * @returns {Promise<import('./suites.mjs').Result>}
 */
export async function pythonTests({ args = [], ...given }) {
  const how = { ...given, environment: { ...given.environment, ...OFFLINE } };
  const fast = args.includes('--fast');
  const python = await environment(fast, how);
  await installWheel(python, how);
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-python-'));
  const report = join(folder, 'results.xml');
  const chosen = [...(fast ? ['--ignore=tests/frameworks'] : []), ...args.filter((arg) => arg !== '--fast')];
  const pytest = ['-m', 'pytest', `--junitxml=${report}`, ...chosen];
  const status = await program(python, pytest, { ...how, cwd: PACKAGE });
  const count = junitCounts(existsSync(report) ? readFileSync(report, 'utf8') : undefined, status);
  rmSync(folder, { recursive: true });
  return { ...count, failures: count.failed > 0 ? [{ name: 'python', line: 'the messages of pytest are above' }] : [] };
}
