// Finds a WebGPU adapter for Node and a Chromium, and installs them on Debian and Ubuntu.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { logProgress, root, SystemError } from './dependencies.mjs';
import { findAdapter } from './gpu.mjs';
import { findInstallObstacle, INSTALL, installCommands, named, parseOsRelease, typed } from './packages.mjs';
import { agreement, terminal } from './prompts.mjs';

/** @typedef {import('./packages.mjs').Missing} Missing */
/** @typedef {import('./prompts.mjs').Agree} Agree */

/** @returns {import('./packages.mjs').Distribution | undefined} */
function distribution() {
  if (!existsSync('/etc/os-release')) return undefined;
  const release = parseOsRelease(readFileSync('/etc/os-release', 'utf8'));
  const folder = '/etc/apt/sources.list.d';
  const sources = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const active = ['/etc/apt/sources.list', ...sources].filter(
    (file) => /\.(list|sources)$/.test(file) && existsSync(file),
  );
  const codename = release.VERSION_CODENAME ?? '';
  const hasBackports = active.some((file) =>
    new RegExp(`^[^#]*\\b${codename}-backports\\b`, 'm').test(readFileSync(file, 'utf8')),
  );
  return { id: release.ID ?? '', version: release.VERSION_ID ?? '', codename, hasBackports };
}

/** Returns the command that runs a line as root: a shell, or sudo; undefined without root rights. */
function rootShell() {
  if (process.getuid?.() === 0) return ['sh', '-c'];
  const sudo = spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' });
  return sudo.status === 0 ? ['sudo', '-n', 'sh', '-c'] : undefined;
}

/** @param {Missing} missing */
function advice(missing) {
  const lines = [];
  if (missing.gpu) {
    lines.push(
      'No WebGPU adapter answers. Install the driver of your GPU (Vulkan on Linux), or Mesa lavapipe for a machine without one.',
    );
  }
  if (missing.chromium) {
    lines.push(
      'There is no Chrome or Chromium (a snap does not count: a test cannot drive it).',
      'Install Google Chrome, or set CHROME_PATH to the executable of a Chrome or Chromium, or run',
      `  npx playwright-core install ${process.platform === 'linux' ? '--with-deps ' : ''}--no-shell chromium`,
    );
  }
  return lines.join('\n');
}

/** Returns the commands that install the missing parts; undefined on an unknown system. @param {Missing} missing */
function commandsFor(missing) {
  const system = process.platform === 'linux' ? distribution() : undefined;
  return system && installCommands(system, missing);
}

/**
 * Installs the missing parts.
 * @param {Missing} missing
 * @param {Agree} agree
 * @throws {SystemError} if the parts cannot be installed; the message has the command that the user can run
 */
async function install(missing, agree) {
  const against = findInstallObstacle(missing, process.env);
  if (against !== undefined) throw new SystemError(`${against}\n${advice(missing)}`);
  const commands = commandsFor(missing);
  if (!commands) throw new SystemError(advice(missing));
  const shell = rootShell();
  if (!shell) {
    throw new SystemError(
      `${advice(missing)}\nOn this system (no rights to do it for you) run:\n\n  ${typed(commands)}\n`,
    );
  }
  if (!(await agree(missing, commands))) {
    throw new SystemError(
      `Nothing was installed.\n${advice(missing)}\nTo do it yourself run:\n\n  ${typed(commands)}\n`,
    );
  }
  logProgress(
    `This machine lacks ${named(missing)}. Packages are installed for it now; ${INSTALL}=no leaves the machine as it is.`,
  );
  for (const { line, root: privileged } of commands) {
    logProgress(`$ ${line}`);
    const [program = '', ...args] = privileged ? shell : ['sh', '-c'];
    // Package managers write to standard output, which is reserved for the program that is started at the end.
    const result = spawnSync(program, [...args, line], { cwd: root, stdio: ['ignore', 2, 2] });
    if (result.status !== 0) {
      throw new SystemError(`${line}\nfailed; its messages are on standard error.\n${advice(missing)}`);
    }
  }
}

/**
 * Finds all parts that a complete run lacks, for one question. An invalid CHROME_PATH counts as a browser here; the
 * suite that requires it reports the error.
 * @param {{ gpu?: boolean, chromium?: boolean }} needs
 */
export async function findMissingParts({ gpu = false, chromium = false }) {
  const browser = chromium ? await findChromium().catch(() => '') : '';
  const missing = { gpu: gpu && findAdapter() === undefined, chromium: browser === undefined };
  return { missing, commands: commandsFor(missing) ?? [] };
}

/**
 * Finds the requested parts, and installs them if possible.
 * @param {{ gpu?: boolean, chromium?: boolean }} needs
 * @param {Agree} [agree] allows the installation; the default is a question to the user at the terminal
 * @returns {Promise<Record<string, string>>} environment variables for the programs that use the parts
 * @throws {SystemError} if a part is still missing
 */
export async function ensureSystem({ gpu = false, chromium = false }, agree = agreement(terminal)) {
  let adapter = gpu ? findAdapter() : {};
  let browser = chromium ? await findChromium() : '';
  const missing = { gpu: adapter === undefined, chromium: browser === undefined };
  if (missing.gpu || missing.chromium) {
    await install(missing, agree);
    adapter ??= findAdapter();
    browser ??= await findChromium();
    const still = { gpu: adapter === undefined, chromium: browser === undefined };
    if (still.gpu || still.chromium) throw new SystemError(`The installation went through, but:\n${advice(still)}`);
  }
  return { ...adapter, ...(browser ? { CHROME_PATH: browser } : {}) };
}
