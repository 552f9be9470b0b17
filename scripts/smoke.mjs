// `npm run smoke -- --browser firefox`: opens the built page in a browser, and checks that it loads without errors and
// that the parameters of the exact engine have the committed digests.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureDependencies, fail, logProgress, root, SetupError } from './dependencies.mjs';
import { findEngine } from './engines.mjs';
import { smokeOptions, TRAINING, watchErrors } from './smokePage.mjs';

/** Timeout for one state of the page [ms]. Software renderers on small machines compile slowly. */
const STATE_MS = 180_000;
/** Path of the page on its host. The page must also work outside of the root. */
const PATH = '/course/demo/';
/** Query of a run with small updates. */
const SMALL = '?v=1&questions=1&groupSize=4&minibatches=1';

const CHROMIUM_FLAGS = [
  // Containers and root have no user namespaces for the sandbox. The browser opens only this page, so it is not needed.
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  // The software adapter of Chromium, because test machines have no graphics card.
  ...(process.platform === 'linux' ? ['--use-webgpu-adapter=swiftshader'] : []),
];

/** @param {import('./engines.mjs').Engine} engine */
async function executableOf(engine) {
  if (engine === 'chromium') {
    const { ensureSystem } = await import('./system.mjs');
    return (await ensureSystem({ chromium: true })).CHROME_PATH;
  }
  const path = await findEngine(engine);
  if (path) return path;
  throw new SetupError(
    `There is no ${engine} of Playwright's here. Install it with:\n\n  npm run setup -- --browser ${engine}\n`,
  );
}

/** Builds the page into a separate folder. @returns {Promise<string>} */
async function buildSite() {
  const { build } = await import('vite');
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-smoke-'));
  await build({ root, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
  return folder;
}

/** Serves a built page without special headers. @param {string} folder */
async function serve(folder) {
  const { preview } = await import('vite');
  const options = { host: 'localhost', port: 0, open: false };
  const server = await preview({ configFile: false, root, base: PATH, build: { outDir: folder }, preview: options });
  const [address] = server.resolvedUrls?.local ?? [];
  if (!address) throw new SetupError('The server of the built page has no address.');
  return { address, close: () => server.close() };
}

/**
 * Trains a run on the exact engine and compares the digests of its parameters with the committed digests.
 * @param {import('playwright-core').Page} page
 * @param {string} address
 * @param {readonly number[]} steps updates after which digests are compared, in ascending order
 * @param {{ name: string, query: string, digests: readonly number[] }} run
 * @returns {Promise<string[]>} one message for each digest that differs
 */
async function compareDigests(page, address, steps, { name, query, digests }) {
  await page.goto(new URL(`${query}&engine=exact`, address).href);
  const rows = await page.waitForFunction(
    (last) => {
      /** @type {any} */
      const app = document.querySelector('tw-app');
      const { metrics } = app.run.session.model;
      return metrics.length >= last && metrics.map((/** @type {any} */ row) => row.parameterDigest);
    },
    Math.max(...steps),
  );
  const values = await rows.jsonValue();
  return steps.flatMap((step, i) =>
    values[step - 1] === digests[i] ? [] : `${name}, update ${step}: digest ${values[step - 1]}, not ${digests[i]}`,
  );
}

/**
 * Waits until a small run trains, and compares digests.
 * @param {import('playwright-core').Browser} browser
 * @param {string} address
 * @returns {Promise<string[]>} all errors of the page and all digests that differ
 */
async function smoke(browser, address) {
  /** @type {string[]} */
  const errors = [];
  const page = await browser.newPage();
  page.setDefaultTimeout(STATE_MS);
  watchErrors(page, errors);
  try {
    await page.goto(new URL(SMALL, address).href);
    await page.getByText(TRAINING).first().waitFor();
    logProgress('it trains');
    const { steps, cases } = JSON.parse(readFileSync(join(root, 'test/digests/cases.json'), 'utf8'));
    for (const run of cases) {
      const differences = await compareDigests(page, address, steps, run);
      errors.push(...differences);
      if (differences.length === 0) logProgress(`${run.name}: its digests are the committed ones`);
    }
  } catch (error) {
    errors.push(error instanceof Error ? error.message : String(error));
  }
  return errors;
}

try {
  const { engine, site } = smokeOptions(process.argv.slice(2));
  ensureDependencies();
  const executablePath = await executableOf(engine);
  const folder = site === undefined ? await buildSite() : resolve(process.env.INIT_CWD ?? '.', site);
  const server = await serve(folder);
  const playwright = await import('playwright-core');
  const args = engine === 'chromium' ? CHROMIUM_FLAGS : [];
  const browser = await playwright[engine].launch({ ...(executablePath ? { executablePath } : {}), args });
  try {
    logProgress(`${engine} ${browser.version()}, ${server.address}`);
    const errors = await smoke(browser, server.address);
    for (const error of errors) process.stdout.write(`${error}\n`);
    process.stdout.write(errors.length === 0 ? 'smoke: passed\n' : `smoke: ${errors.length} errors\n`);
    process.exitCode = errors.length === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await server.close();
    if (site === undefined) rmSync(folder, { recursive: true, force: true });
  }
} catch (error) {
  fail(error);
}
