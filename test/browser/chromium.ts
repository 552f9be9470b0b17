import { type APIResponse, type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { inject } from 'vitest';
import { STATE_MS } from '../limits.ts';
import { BREAKABLE } from './faults.ts';
import { SCRIPTED_PATH, SITE_PATH, TRAINING_SCRIPT } from './siteServer.ts';
import { UNPACED } from './unpaced.ts';

/** Features that Playwright disables. Chromium reads only the last `--disable-features`, so the list is repeated. */
const OFF_IN_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Features that no test uses. Each starts an additional renderer process for every page. */
const UNUSED_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];

const FLAGS = [
  // Containers and root have no user namespaces for the sandbox. Tests open only pages of this repository.
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  // The software adapter of Chromium, so that every Linux machine computes the same numbers.
  ...(process.platform === 'linux' ? ['--use-webgpu-adapter=swiftshader'] : []),
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  `--disable-features=${[...OFF_IN_PLAYWRIGHT, ...UNUSED_FEATURES].join(',')}`,
];

let browser: Promise<Browser> | undefined;

/**
 * Starts the browser of this test process once: a full Chromium, because headless-shell builds lack WebGPU. All test
 * files of the process share it, and each page has a separate profile. Playwright closes it when the process ends.
 */
export function launchChromium(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: inject('chromium'), args: FLAGS, timeout: STATE_MS });
  return browser;
}

/** Closes all pages, so that they do not use processor time during the next test file. */
export async function closePages(): Promise<void> {
  await Promise.all((await browser)?.contexts().map((context) => context.close()) ?? []);
}

/**
 * Fetches the response of the host for a route that a test changes. The host closes idle connections after some
 * seconds. If a connection closes while the request is sent, the request is retried, as in a browser.
 */
export const fetched = (route: Route): Promise<APIResponse> => route.fetch({ maxRetries: 3 });

export interface PageOptions {
  /** Size of the window [px]; default 1280 by 800. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Default: reduce, because animations use a third of the processor time of a page. */
  readonly reducedMotion?: 'reduce' | 'no-preference';
  /** Default: block, because requests of a service worker bypass the routes of a test. */
  readonly serviceWorkers?: 'allow' | 'block';
  /** Script that runs before the scripts of the page, for example to disable storage. */
  readonly before?: string;
  /** True if runs have the default speed instead of the maximum speed. */
  readonly isDelayed?: boolean;
  /** True if the page trains real policies; by default, runs are scripted (test/scripted). */
  readonly real?: boolean;
  /** True to enable faults (faults.ts) in the real training worker. The scripted worker always allows faults. */
  readonly breakable?: boolean;
  /** Context of an earlier page, so that both pages share their storage. */
  readonly context?: BrowserContext;
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page so far: console errors, uncaught exceptions and failed requests. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a page in a separate profile.
 * @param path address relative to the built page ('', '#lab'), or from the root of the host if it starts with '/'
 */
export async function openPage(path = '', options: PageOptions = {}): Promise<OpenPage> {
  const { viewport = { width: 1280, height: 800 }, colorScheme = 'light', reducedMotion = 'reduce' } = options;
  const { serviceWorkers = 'block' } = options;
  const context =
    options.context ??
    (await (await launchChromium()).newContext({ viewport, colorScheme, reducedMotion, serviceWorkers }));
  context.setDefaultTimeout(STATE_MS);
  if (options.real && options.breakable) {
    await context.route(TRAINING_SCRIPT, async (route) => {
      const response = await fetched(route);
      await route.fulfill({ response, body: BREAKABLE + (await response.text()) });
    });
  }
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => errors.push(`uncaught: ${error.message}`));
  // A navigation or a reload aborts pending requests.
  let leaving = false;
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) leaving = true;
  });
  page.on('load', () => {
    leaving = false;
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The browser can fetch the icon at any time, and a removed frame aborts the requests of its worker.
    const isAborted = leaving || /\/icon\.svg$|^blob:null\//.test(request.url());
    if (!(reason === 'net::ERR_ABORTED' && isAborted)) errors.push(`request: ${request.url()} ${reason}`);
  });
  if (!options.isDelayed) await page.addInitScript(UNPACED);
  if (options.before) await page.addInitScript(options.before);
  await page.goto(new URL(path, new URL(options.real ? SITE_PATH : SCRIPTED_PATH, inject('origin'))).href);
  return { page, context, errors, close: () => (options.context ? page.close() : context.close()) };
}
