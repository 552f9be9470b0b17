// The shell commands that install missing parts on Debian and Ubuntu. The functions are pure, so that tests can call
// them.

/**
 * Properties of the system that decide how packages are installed.
 * @typedef {object} Distribution
 * @property {string} id `ID` in /etc/os-release
 * @property {string} version `VERSION_ID`
 * @property {string} codename `VERSION_CODENAME`
 * @property {boolean} hasBackports true if the backports suite is one of the package sources
 */

/**
 * @typedef {object} Command
 * @property {string} line argument of `sh -c`
 * @property {boolean} root true if it needs root; false if it writes to folders of the user and must run as the user
 */

/** @typedef {{ gpu: boolean, chromium: boolean }} Missing parts that a machine lacks */

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
 * Returns the installation commands in order, or undefined for an unsupported distribution.
 * @param {Distribution} distribution
 * @param {Missing} missing
 * @returns {Command[] | undefined}
 */
export function installCommands(distribution, missing) {
  const { id, version, codename, hasBackports } = distribution;
  if (id !== 'debian' && id !== 'ubuntu') return undefined;
  const install = 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends';
  // Mesa 22.3 of Debian 12 is too old for Dawn; the version in its backports works.
  const backports = missing.gpu && id === 'debian' && version === '12';
  /** @type {Command[]} */
  const commands = [];
  /** @param {string} line */
  const asRoot = (line) => commands.push({ line, root: true });
  if (backports && !hasBackports) {
    const source = `deb http://deb.debian.org/debian ${codename}-backports main`;
    asRoot(`echo "${source}" > /etc/apt/sources.list.d/turnwise-backports.list`);
  }
  // An unrelated broken package source is ignored here. If it is relevant, the next command fails with a message.
  if (missing.gpu || id === 'debian') asRoot('{ apt-get update || true; }');
  if (missing.gpu) asRoot(`${install}${backports ? ` -t ${codename}-backports` : ''} mesa-vulkan-drivers libvulkan1`);
  if (missing.chromium && id === 'debian') asRoot(`${install} chromium`);
  if (missing.chromium && id === 'ubuntu') {
    // Ubuntu's chromium package is a snap, which a test cannot control, so Playwright's build is installed instead. It
    // is stored in the user's cache. Playwright requests root for the libraries.
    commands.push({ line: 'npx playwright-core install --with-deps --no-shell chromium', root: false });
  }
  return commands;
}

/**
 * Returns the command line that a user without root rights must type.
 * @param {Command[]} commands
 */
export function typed(commands) {
  const root = commands.filter((command) => command.root).map(({ line }) => line);
  const userCommands = commands.filter((command) => !command.root).map(({ line }) => line);
  return [...(root.length > 0 ? [`sudo sh -c '${root.join(' && ')}'`] : []), ...userCommands].join(' && ');
}

/**
 * Describes the missing parts.
 * @param {Missing} missing
 */
export function named(missing) {
  return [...(missing.gpu ? ['a WebGPU adapter'] : []), ...(missing.chromium ? ['a Chromium'] : [])].join(' and ');
}

/**
 * Returns the question that the user answers before the machine is changed. It lists each command and its account.
 * @param {Missing} missing
 * @param {Command[]} commands
 */
export function question(missing, commands) {
  const lines = commands.map(({ line, root }) => `  ${root ? 'as root: ' : 'as you:  '}${line}`);
  return `This machine lacks ${named(missing)}. These commands install what is missing:\n\n${lines.join('\n')}\n\nRun them now? [y/N] `;
}

/** Environment variable that prevents an installation if its value is `no`. */
export const INSTALL = 'TURNWISE_INSTALL';

/**
 * Returns the reason why missing parts must not be installed, or undefined if they can be installed.
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
