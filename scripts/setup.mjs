// `npm run setup`: installs the npm packages, a WebGPU adapter for Node and a Chromium if they are missing. `npm run
// setup -- --browser firefox`: installs the npm packages and Playwright's build of the browser, for `npm run smoke`.
// The user requested the installation, so there is no question.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, fail, logProgress, root, SetupError } from './dependencies.mjs';
import { ENGINES, engineNamed, findEngine } from './engines.mjs';

const USAGE = `npm run setup -- [--browser ${ENGINES.join('|')}]`;

/** @returns {import('./engines.mjs').Engine | undefined} undefined without the option `--browser` */
function readEngineOption() {
  try {
    const { values } = parseArgs({ options: { browser: { type: 'string' } } });
    return values.browser === undefined ? undefined : engineNamed(values.browser);
  } catch (error) {
    // parseArgs throws a TypeError that names the unknown option.
    if (error instanceof TypeError || error instanceof SetupError) throw new SetupError(`${error.message}\n\n${USAGE}`);
    throw error;
  }
}

/** @param {import('./engines.mjs').Engine} engine */
async function installEngine(engine) {
  const present = await findEngine(engine);
  if (present) return present;
  // Playwright requests root for the missing libraries on Linux.
  const args = ['install', ...(process.platform === 'linux' ? ['--with-deps'] : []), engine];
  logProgress(`$ npx playwright-core ${args.join(' ')}`);
  const cli = join(root, 'node_modules', 'playwright-core', 'cli.js');
  const { status } = spawnSync(process.execPath, [cli, ...args], { cwd: root, stdio: ['ignore', 2, 2] });
  const installed = status === 0 ? await findEngine(engine) : undefined;
  if (!installed) throw new SetupError(`${engine} could not be installed; the messages are above.`);
  return installed;
}

try {
  const engine = readEngineOption();
  ensureDependencies();
  if (engine === 'firefox' || engine === 'webkit') {
    logProgress(`${engine}: ${await installEngine(engine)}`);
  } else {
    const { ensureSystem } = await import('./system.mjs');
    const variables = await ensureSystem({ gpu: engine === undefined, chromium: true }, async () => true);
    if (variables.TURNWISE_ADAPTER) logProgress(`WebGPU adapter: ${variables.TURNWISE_ADAPTER}`);
    logProgress(`Chromium: ${variables.CHROME_PATH}`);
  }
} catch (error) {
  fail(error);
}
