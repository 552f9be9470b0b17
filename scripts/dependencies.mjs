// Installs the npm packages if they differ from package-lock.json. Uses only Node, because it runs before the
// installation.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Error that the user must correct. It is shown without a stack trace. */
export class SetupError extends Error {}

/** SetupError of the machine instead of the repository: a driver or a browser is missing. */
export class SystemError extends SetupError {}

/**
 * Writes a line to standard error, because standard output is reserved for the program that is started at the end.
 * @param {string} line
 */
export function logProgress(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Ends the process with the message of a SetupError, or with the stack trace of any other error.
 * @param {unknown} error
 * @returns {never}
 */
export function fail(error) {
  logProgress(error instanceof SetupError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exit(1);
}

/**
 * Returns true if the installed versions match package-lock.json. Compares versions instead of file times, which are
 * wrong after a clone, a copy or a change of branch.
 * @param {string} folder the repository, or a substitute of a test
 */
export function dependenciesInstalled(folder) {
  const installedFile = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (path === '') return true;
    const present = installed[path];
    // Optional packages, such as binaries of other platforms, can be absent.
    return present ? present.version === entry.version : entry.optional === true || entry.devOptional === true;
  });
}

/** Runs `npm ci` if packages are missing. */
export function ensureDependencies() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new SetupError(`Turnwise needs Node 20.19 or newer; this is ${process.version}. See https://nodejs.org`);
  }
  if (dependenciesInstalled(root)) return;
  logProgress('Installing npm packages (npm ci) ...');
  /** @type {import('node:child_process').SpawnSyncOptions} */
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  // npm_execpath is the script of the running npm. Node can run it directly, so Windows needs no shell.
  const npm = process.env.npm_execpath;
  const result = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.status !== 0) throw new SetupError('npm ci failed; its messages are above.');
}
