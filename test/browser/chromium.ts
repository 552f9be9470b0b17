import { type APIResponse, type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { inject } from 'vitest';
import { STATE_MS } from '../limits.ts';
import { BREAKABLE } from './faults.ts';
import { SCRIPTED_PATH, SITE_PATH, TRAINING_SCRIPT } from './siteServer.ts';
import { UNPACED } from './unpaced.ts';

/** Features that Playwright turns off. Chromium reads only the last `--disable-features`, so the list is repeated. */
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

/** Features that no test uses. Each takes a renderer process, and with it processor time, for every page. */
const UNUSED_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'];

const FLAGS = [
  // Containers and root have no user namespaces for the sandbox; the only pages opened here are our own.
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  // The software adapter that ships with Chromium, so that every Linux machine gives the same numbers.
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
 * The browser of this test process: a full Chromium (headless-shell builds lack WebGPU). All files of the process share
 * it, and each page has a separate profile. Playwright closes it when the process ends.
 */
export function launchChromium(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: inject('chromium'), args: FLAGS, timeout: STATE_MS });
  return browser;
}

/** Closes every page, so that none keeps working during the next file. */
export async function closePages(): Promise<void> {
  await Promise.all((await browser)?.contexts().map((context) => context.close()) ?? []);
}

/**
 * Returns the response of the host to a request that a test changes on its way. The host closes a connection that was
 * idle for some seconds. If the connection closes while the request is sent, the request is sent again, as a browser
 * does automatically.
 */
export const fetched = (route: Route): Promise<APIResponse> => route.fetch({ maxRetries: 3 });

export interface PageOptions {
  /** Size of the window; 1280 by 800 where it is left out. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Reduced where it is left out: animations take a third of the processor time of a page. */
  readonly reducedMotion?: 'reduce' | 'no-preference';
  /** Blocked where it is left out: what a service worker fetches does not pass the routes of a test. */
  readonly serviceWorkers?: 'allow' | 'block';
  /** Runs in the page before its own scripts, for example to refuse storage. */
  readonly before?: string;
  /** True if runs have the pace that users get, and not the maximum speed. */
  readonly isDelayed?: boolean;
  /** The page trains real policies on the software renderer; without it, runs are scripted (test/scripted). */
  readonly real?: boolean;
  /** The real training worker can be broken (faults.ts); the scripted one always can. */
  readonly breakable?: boolean;
  /** A context of an earlier page, so that both share their storage. */
  readonly context?: BrowserContext;
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Everything that went wrong so far: console errors, uncaught exceptions, failed requests. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a page in a separate profile.
 * @param path relative to the built page ('', '#rule=mt-grpo'), or from the root of the host when it starts with '/'
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
  // Leaving or reloading a page aborts its pending requests.
  let leaving = false;
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) leaving = true;
  });
  page.on('load', () => {
    leaving = false;
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The browser fetches the icon at any time; a frame that is removed gives up its worker.
    const isAborted = leaving || /\/icon\.svg$|^blob:null\//.test(request.url());
    if (!(reason === 'net::ERR_ABORTED' && isAborted)) errors.push(`request: ${request.url()} ${reason}`);
  });
  if (!options.isDelayed) await page.addInitScript(UNPACED);
  if (options.before) await page.addInitScript(options.before);
  await page.goto(new URL(path, new URL(options.real ? SITE_PATH : SCRIPTED_PATH, inject('origin'))).href);
  return { page, context, errors, close: () => (options.context ? page.close() : context.close()) };
}
