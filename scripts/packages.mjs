// The shell commands that install what a Debian or Ubuntu lacks. Pure functions: they are printed, run, and tested.

/**
 * What decides how packages are installed.
 * @typedef {object} Distribution
 * @property {string} id `ID` of /etc/os-release
 * @property {string} version `VERSION_ID`
 * @property {string} codename `VERSION_CODENAME`
 * @property {boolean} hasBackports the backports suite is already among the package sources
 */

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
 * Shell lines for root, in order; undefined where the distribution is not one that we know how to serve.
 * @param {Distribution} distribution
 * @param {{ gpu: boolean, chromium: boolean }} missing
 * @returns {string[] | undefined}
 */
export function installCommands(distribution, missing) {
  const { id, version, codename, hasBackports } = distribution;
  if (id !== 'debian' && id !== 'ubuntu') return undefined;
  const install = 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends';
  // Debian 12's own Mesa (22.3) is too old for Dawn; the one in its backports works.
  const backports = missing.gpu && id === 'debian' && version === '12';
  const commands = [];
  if (backports && !hasBackports) {
    const source = `deb http://deb.debian.org/debian ${codename}-backports main`;
    commands.push(`echo "${source}" > /etc/apt/sources.list.d/turnwise-backports.list`);
  }
  commands.push('apt-get update');
  if (missing.gpu) {
    commands.push(`${install}${backports ? ` -t ${codename}-backports` : ''} mesa-vulkan-drivers libvulkan1`);
  }
  if (missing.chromium) {
    // Ubuntu's chromium package is a snap, which cannot be driven from a test; Playwright's build is a plain browser.
    commands.push(
      id === 'debian'
        ? `${install} chromium`
        : 'node node_modules/playwright-core/cli.js install --with-deps --no-shell chromium',
    );
  }
  return commands;
}
