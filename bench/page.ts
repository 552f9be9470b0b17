import type { Page } from 'playwright-core';
import { choice, number, text } from '../src/cli/framework/flags.ts';
import type { App } from '../test/browser/app.ts';
import { UNPACED } from '../test/browser/unpaced.ts';
import { ADAPTERS, withBuiltPage } from './builtPage.ts';
import { runBenchmark } from './options.ts';
import { mainThreadTasks } from './trace.ts';

interface Measured {
  readonly firstUpdateMs: number;
  readonly adapter: string;
  readonly updates: number;
  readonly longTasks: readonly number[];
  /** Processor time of each task, longest first [ms]. It excludes the time of other programs on the machine. */
  readonly taskCpuMs: readonly number[];
  readonly longestFrameMs: number;
}

/** Script that runs before the scripts of the page: records long tasks, frames and the first metrics message. */
const OBSERVE = `(() => {
  const seen = (globalThis.__seen = { tasks: [], first: undefined, updates: 0, frames: 0, adapter: '' });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push({ start: entry.startTime, duration: entry.duration });
  }).observe({ type: 'longtask', buffered: true });
  const Plain = Worker;
  globalThis.Worker = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        if (data.type === 'ready') seen.adapter = data.device.name;
        if (data.type !== 'metrics') return;
        seen.updates++;
        seen.first ??= performance.now();
      });
    }
  };
  let last = performance.now();
  const frame = () => {
    const now = performance.now();
    if (seen.first !== undefined) seen.frames = Math.max(seen.frames, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})();`;

/** Measures the page while it trains. @param at element to which the page is scrolled; '' for the top of the page */
async function measure(page: Page, url: string, seconds: number, at: string): Promise<Measured> {
  await page.addInitScript(UNPACED);
  await page.addInitScript(OBSERVE);
  await page.goto(url);
  await page.waitForFunction('globalThis.__seen.first !== undefined', undefined, { timeout: 300_000 });
  if (at !== '') await page.locator(at).evaluate((element) => element.scrollIntoView());
  await page
    .context()
    .browser()
    ?.startTracing(page, { categories: ['__metadata', 'toplevel'] });
  const half = (seconds * 1000) / 2;
  await page.waitForTimeout(half);
  // The rule is changed by a call, because the position of its button depends on the environment.
  await page.evaluate(() => (document.querySelector('tw-app') as App).run.session.change({ rule: 'grpo-or' }));
  await page.waitForTimeout(half);
  const trace = await page.context().browser()?.stopTracing();
  const observed = await page.evaluate(() => {
    const { tasks, first, updates, frames, adapter } = (globalThis as unknown as Record<string, never>).__seen as {
      tasks: { start: number; duration: number }[];
      first: number;
      updates: number;
      frames: number;
      adapter: string;
    };
    const training = tasks.filter(({ start }) => start >= first).map(({ duration }) => duration);
    return { firstUpdateMs: first, adapter, updates, longTasks: training, longestFrameMs: frames };
  });
  return { ...observed, taskCpuMs: trace ? processorTimes(trace) : [] };
}

function processorTimes(trace: Buffer): number[] {
  return mainThreadTasks(trace)
    .map(({ processor }) => processor)
    .sort((a, b) => b - a);
}

interface Options {
  readonly seconds: number;
  readonly adapter: string;
  readonly query: string;
  readonly at: string;
}

async function main({ seconds, adapter, query, at }: Options): Promise<number> {
  return withBuiltPage(adapter, async ({ browser, address }) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const result = await measure(page, address(query), seconds, at);
    const longest = Math.max(0, ...result.longTasks);
    console.log(`adapter                      ${result.adapter}`);
    console.log(`opening to first update      ${result.firstUpdateMs.toFixed(0)} ms`);
    console.log(`updates in ${seconds} s              ${result.updates}`);
    console.log(`main-thread tasks over 50 ms ${result.longTasks.length} (longest ${longest.toFixed(0)} ms)`);
    const [maximum = 0] = result.taskCpuMs;
    const longCount = result.taskCpuMs.filter((cpu) => cpu > 50).length;
    console.log(`  by processor time          ${longCount} (maximum ${maximum.toFixed(0)} ms)`);
    console.log(`longest frame                ${result.longestFrameMs.toFixed(0)} ms`);
    return 0;
  });
}

process.exit(
  await runBenchmark({
    name: 'bench:page',
    description:
      'Measures the built page in Chromium: time from opening it to the first update (checkpoint, kernels and worker ' +
      'included), and the main thread’s long tasks while training runs and the rule is switched.',
    flags: {
      seconds: number({
        ...{ kind: 'number', name: 'seconds', label: '', default: 30, min: 1, max: 3600, step: 1 },
        help: 'Duration of the measurement after the first update of training.',
      }),
      adapter: choice(
        'Chromium’s adapter. On swiftshader the page trains on the processor; with a GPU choose default.',
        [...ADAPTERS],
        'swiftshader',
      ),
      query: text('QUERY', 'The query of the page’s address.', '?v=1&questions=4'),
      at: text('ELEMENT', 'Element to scroll to before the measurement, for example tw-group.', ''),
    },
    examples: [
      '--seconds 10',
      '--query "?v=1&environment=repo&questions=1" --at tw-group',
      '--adapter default --query "?v=1"',
    ],
    run: main,
  }),
);
