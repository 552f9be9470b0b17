import { cpus, loadavg } from 'node:os';
import type { Browser } from 'playwright-core';
import { choice, integerFlag, text } from '../src/cli/framework/flags.ts';
import { ADAPTERS, withBuiltPage } from './builtPage.ts';
import { runBenchmark } from './options.ts';

/** Limits for opening a lesson. */
const BUDGET = { paintMs: 1000, interactiveMs: 2000, shift: 0 };

/** Time without a task over 50 ms after which the page counts as idle [ms]. */
const IDLE_MS = 3000;

/** Controls that make the page usable: a choice of the prediction, or a lesson in the list. */
const CONTROLS = 'tw-experiment .choices button, tw-lessons ol a';

interface Opening {
  /** First contentful paint after the start of the navigation [ms]. */
  readonly paintMs: number;
  /** Time at which the control exists and the last long task before an idle period has ended [ms]. */
  readonly interactiveMs: number;
  /** Cumulative layout shift. */
  readonly shift: number;
  readonly longTasks: number;
}

/** Script that runs before the scripts of the page: records paint, long tasks, shifts and the time of the control. */
const OBSERVE = `(() => {
  const seen = (globalThis.__opening = { paint: 0, control: 0, shift: 0, tasks: [] });
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') seen.paint = startTime; });
  watch('longtask', ({ startTime, duration }) => seen.tasks.push(startTime + duration));
  watch('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value; });
  const steps = ${JSON.stringify(CONTROLS)}.split(', ').map((one) => one.split(' '));
  const within = (root, names) => {
    for (const element of root.querySelectorAll('*')) {
      if (names.some(([host, ...inner]) => element.localName === host && element.shadowRoot?.querySelector(inner.join(' ')))) return true;
      if (element.shadowRoot && within(element.shadowRoot, names)) return true;
    }
    return false;
  };
  const look = () => {
    if (within(document, steps)) seen.control = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();`;

/** Opens an address in a browser context without stored data. */
async function open(browser: Browser, url: string): Promise<Opening> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(OBSERVE);
    await page.goto(url);
    await page.waitForFunction(
      (idleTime) => {
        const { control, tasks } = (globalThis as unknown as { __opening: { control: number; tasks: number[] } })
          .__opening;
        return control > 0 && performance.now() > Math.max(control, ...tasks) + idleTime;
      },
      IDLE_MS,
      { timeout: 120_000 },
    );
    return await page.evaluate(() => {
      const { paint, control, shift, tasks } = (globalThis as unknown as Record<string, never>).__opening as {
        paint: number;
        control: number;
        shift: number;
        tasks: number[];
      };
      return { paintMs: paint, interactiveMs: Math.max(control, ...tasks), shift, longTasks: tasks.length };
    });
  } finally {
    await context.close();
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Options {
  readonly at: string;
  readonly adapter: string;
  readonly times: number;
}

async function main({ at, adapter, times }: Options): Promise<number> {
  return withBuiltPage(adapter, async ({ browser, address }) => {
    let over = 0;
    for (const path of at.split(',')) {
      const openings: Opening[] = [];
      for (let time = 0; time < times; time++) openings.push(await open(browser, address(path)));
      const of = (name: keyof Opening) => openings.map((opening) => opening[name]);
      const reportMetric = (name: keyof Opening, budget: number, digits = 0) => {
        const all = of(name);
        const within = median(all) <= budget;
        if (!within) over++;
        const span = `${Math.min(...all).toFixed(digits)} to ${Math.max(...all).toFixed(digits)}`;
        return `${median(all).toFixed(digits)} (${span}), ${within ? 'within' : 'OVER'} ${budget}`;
      };
      console.log(`${path}, ${times} times, each with an empty cache`);
      console.log(`  first paint, ms     ${reportMetric('paintMs', BUDGET.paintMs)}`);
      console.log(`  interactive, ms     ${reportMetric('interactiveMs', BUDGET.interactiveMs)}`);
      console.log(`  layout shift        ${reportMetric('shift', BUDGET.shift, 3)}`);
      console.log(`  tasks over 50 ms    ${median(of('longTasks'))}`);
    }
    console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(0)}`);
    return over === 0 ? 0 : 1;
  });
}

process.exit(
  await runBenchmark({
    name: 'bench:opening',
    description:
      'Opens the built page at lessons in Chromium, each time with an empty cache, and prints median, minimum and maximum of ' +
      'first contentful paint, of the time until the page is interactive (the control exists, and the last task over 50 ms ' +
      'before three quiet seconds has ended), and of the layout shift. The exit code is 1 if a median is over its budget: 1 s, 2 s, none.',
    flags: {
      at: text(
        'ADDRESSES',
        'Parts to append to the address of the page, separated by commas.',
        '#learn,#learn/one-reward,#learn/tool-dies/college,#learn/second-tries',
      ),
      adapter: choice('Chromium’s adapter; with a GPU choose default.', [...ADAPTERS], 'swiftshader'),
      times: integerFlag('Number of openings of each address.', { min: 1, max: 99, default: 5 }),
    },
    examples: ['--times 9', '--at "#learn/critic"'],
    run: main,
  }),
);
