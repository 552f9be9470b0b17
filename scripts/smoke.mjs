// `npm run smoke -- --browser firefox`: opens the built page in a real browser and checks that it loads without errors,
// that it trains or says why it cannot, and that it plays a recording.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureDependencies, fail, root, SetupError, say } from './dependencies.mjs';
import { findEngine } from './engines.mjs';
import { PHRASES, smokeOptions, watchErrors } from './smokePage.mjs';

/** Milliseconds for one state of the page; software renderers on small machines are slow to compile. */
const STATE_MS = 180_000;
/** Where a course might put the page: nothing may rely on being at the root of its host. */
const PATH = '/course/demo/';
/** A run that a software renderer updates several times a second. */
const SMALL = '?v=1&questions=1&groupSize=4&minibatches=1';

const CHROMIUM_FLAGS = [
  // Containers and root have no user namespaces for the sandbox; the only page opened here is our own.
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  // The software adapter that ships with Chromium: machines for checks have no graphics card.
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

/** Builds the page into a folder of its own. @returns {Promise<string>} */
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

/** Waits until a recording plays, or has played to its end. @param {import('playwright-core').Page} page */
async function untilRecordingPlays(page) {
  const heading = page.getByRole('heading', { name: PHRASES.recording });
  await heading.waitFor();
  await page.getByText(PHRASES.replaying).first().waitFor();
  return heading.innerText();
}

/**
 * Everything that is asked of the page.
 * @param {import('playwright-core').Browser} browser
 * @param {string} address
 * @param {boolean} webgpu false: as in a browser without it
 */
async function smoke(browser, address, webgpu) {
  /** @type {string[]} */
  const errors = [];
  /** @param {string} query */
  const open = async (query) => {
    const context = await browser.newContext();
    context.setDefaultTimeout(STATE_MS);
    const page = await context.newPage();
    watchErrors(page, errors);
    if (!webgpu) await page.addInitScript('delete Navigator.prototype.gpu');
    await page.goto(new URL(query, address).href);
    return { page, context };
  };
  const first = await open(SMALL);
  const training = first.page.getByText(PHRASES.training);
  const reason = first.page.getByRole('heading', { name: PHRASES.missing });
  try {
    await training.or(reason).first().waitFor();
    const trains = (await reason.count()) === 0;
    say(trains ? 'it trains' : `it says why it cannot train: ${await reason.innerText()}`);
    if (trains) {
      await first.context.close();
      const { page } = await open('?recorded=1');
      say(`it plays: ${await untilRecordingPlays(page)}`);
    } else {
      await first.page.getByText(PHRASES.advice).click();
      await first.page.locator('tw-no-webgpu dd').first().waitFor();
      say(`it plays: ${await untilRecordingPlays(first.page)}`);
    }
  } catch (error) {
    errors.push(error instanceof Error ? error.message : String(error));
  }
  return errors;
}

try {
  const { engine, site, webgpu } = smokeOptions(process.argv.slice(2));
  ensureDependencies();
  const executablePath = await executableOf(engine);
  const folder = site === undefined ? await buildSite() : resolve(process.env.INIT_CWD ?? '.', site);
  const server = await serve(folder);
  const playwright = await import('playwright-core');
  const args = engine === 'chromium' ? CHROMIUM_FLAGS : [];
  const browser = await playwright[engine].launch({ ...(executablePath ? { executablePath } : {}), args });
  try {
    say(`${engine} ${browser.version()}, ${server.address}`);
    const errors = await smoke(browser, server.address, webgpu);
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
