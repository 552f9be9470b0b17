// The shell commands that install what a Debian or Ubuntu lacks. Pure functions: they are printed, run, and tested.

/**
 * Properties of the system that decide how packages are installed.
 * @typedef {object} Distribution
 * @property {string} id `ID` of /etc/os-release
 * @property {string} version `VERSION_ID`
 * @property {string} codename `VERSION_CODENAME`
 * @property {boolean} hasBackports the backports suite is already among the package sources
 */

/**
 * @typedef {object} Command
 * @property {string} line for `sh -c`
 * @property {boolean} root needs root; else it must run as the user, whose folders it writes to
 */

/** @typedef {{ gpu: boolean, chromium: boolean }} Missing what a machine lacks */

/**
 * Reads /etc/os-release.
 * @param {string} text
 * @returns {Record<string, string>}
 */
export function parseOsRelease(text) {
  const lines = text.split('\n').map((line) => /^(\w+)=(?:"(.*)"|(.*))$/.exec(line.trim()));
  return Object.fromEntries(
    lines.filter((match) => match !== null).map((match) => [match[1], match[2] ?? match[3] ?? '']),
  );
}

/**
 * Shell lines, in order; undefined where the distribution is not one that we know how to serve.
 * @param {Distribution} distribution
 * @param {Missing} missing
 * @returns {Command[] | undefined}
 */
export function installCommands(distribution, missing) {
  const { id, version, codename, hasBackports } = distribution;
  if (id !== 'debian' && id !== 'ubuntu') return undefined;
  const install = 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends';
  // Debian 12's own Mesa (22.3) is too old for Dawn; the one in its backports works.
  const backports = missing.gpu && id === 'debian' && version === '12';
  /** @type {Command[]} */
  const commands = [];
  /** @param {string} line */
  const asRoot = (line) => commands.push({ line, root: true });
  if (backports && !hasBackports) {
    const source = `deb http://deb.debian.org/debian ${codename}-backports main`;
    asRoot(`echo "${source}" > /etc/apt/sources.list.d/turnwise-backports.list`);
  }
  // Somebody else's broken package source must not stop us; if it matters, the next line fails and says so.
  if (missing.gpu || id === 'debian') asRoot('{ apt-get update || true; }');
  if (missing.gpu) asRoot(`${install}${backports ? ` -t ${codename}-backports` : ''} mesa-vulkan-drivers libvulkan1`);
  if (missing.chromium && id === 'debian') asRoot(`${install} chromium`);
  if (missing.chromium && id === 'ubuntu') {
    // Ubuntu's chromium package is a snap, which cannot be driven from a test; Playwright's build is a plain browser.
    // It goes into the user's cache, and asks for root by itself for the libraries.
    commands.push({ line: 'npx playwright-core install --with-deps --no-shell chromium', root: false });
  }
  return commands;
}

/**
 * Returns the commands to type, for a person without root's rights.
 * @param {Command[]} commands
 */
export function typed(commands) {
  const root = commands.filter((command) => command.root).map(({ line }) => line);
  const userCommands = commands.filter((command) => !command.root).map(({ line }) => line);
  return [...(root.length > 0 ? [`sudo sh -c '${root.join(' && ')}'`] : []), ...userCommands].join(' && ');
}

/**
 * Returns a description of the missing parts.
 * @param {Missing} missing
 */
export function named(missing) {
  return [...(missing.gpu ? ['a WebGPU adapter'] : []), ...(missing.chromium ? ['a Chromium'] : [])].join(' and ');
}

/**
 * Returns the question that a person must answer before the machine is changed: every command, and the user that runs
 * it.
 * @param {Missing} missing
 * @param {Command[]} commands
 */
export function question(missing, commands) {
  const lines = commands.map(({ line, root }) => `  ${root ? 'as root: ' : 'as you:  '}${line}`);
  return `This machine lacks ${named(missing)}. These commands install what is missing:\n\n${lines.join('\n')}\n\nRun them now? [y/N] `;
}

/** The variable that keeps these programs from changing a machine. */
export const INSTALL = 'TURNWISE_INSTALL';

/**
 * Returns the reason against an installation although something is missing. Returns undefined if there is no such
 * reason.
 * @param {{ gpu: boolean }} missing
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
export function findInstallObstacle(missing, environment) {
  const pinned = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES'].find((name) => environment[name]);
  if (missing.gpu && pinned !== undefined) {
    return `${pinned} is ${environment[pinned]}, and no WebGPU adapter answers with that: nothing is installed for it.`;
  }
  return environment[INSTALL] === 'no' ? `${INSTALL} is no: nothing is installed.` : undefined;
}
