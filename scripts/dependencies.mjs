// Installs the npm packages when they are missing or not the locked ones. Plain Node: this runs before there are packages.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** An error that the person at the keyboard must correct. It is shown without a stack trace. */
export class SetupError extends Error {}

/** A SetupError of the machine rather than of the repository: a driver or a browser is missing. */
export class SystemError extends SetupError {}

/**
 * Progress goes to standard error: standard output belongs to the program that is started in the end.
 * @param {string} line
 */
export function logProgress(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Ends the process with the message of a SetupError, or with the stack of anything else.
 * @param {unknown} error
 * @returns {never}
 */
export function fail(error) {
  logProgress(error instanceof SetupError ? error.message : String(error instanceof Error ? error.stack : error));
  process.exit(1);
}

/**
 * Compares versions, not file times: a fresh clone, a copied folder and a switched branch all carry misleading times.
 * @param {string} folder the repository, or a test's substitute for it
 */
export function dependenciesInstalled(folder) {
  const installedFile = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (path === '') return true;
    const present = installed[path];
    // Optional packages (another platform's binaries) are rightly absent.
    return present ? present.version === entry.version : entry.optional === true || entry.devOptional === true;
  });
}

/** Runs `npm ci` where it is needed. */
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
  // npm names its own script, so that the same npm is used and Windows needs no shell.
  const npm = process.env.npm_execpath;
  const result = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (result.status !== 0) throw new SetupError('npm ci failed; its messages are above.');
}
