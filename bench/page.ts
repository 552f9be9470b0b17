import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { findChromium } from '../scripts/chromium.mjs';
import { choice, number, text } from '../src/cli/flags.ts';
import { SITE_PATH, serveSite } from '../test/browser/siteServer.ts';
import { root } from '../test/files.ts';
import { runBenchmark } from './options.ts';

interface Measured {
  readonly firstUpdateMs: number;
  readonly adapter: string;
  readonly updates: number;
  readonly longTasks: readonly number[];
  readonly longestFrameMs: number;
}

/** Runs before the page's own scripts: notes long tasks, frames, and when the first metrics message comes. */
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

async function measure(page: Page, url: string, seconds: number): Promise<Measured> {
  await page.addInitScript(OBSERVE);
  await page.goto(url);
  await page.waitForFunction('globalThis.__seen.first !== undefined', undefined, { timeout: 300_000 });
  const half = (seconds * 1000) / 2;
  await page.waitForTimeout(half);
  await page.getByRole('radio', { name: 'GRPO-OR' }).first().check({ force: true });
  await page.waitForTimeout(half);
  return page.evaluate(() => {
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
}

interface Options {
  readonly seconds: number;
  readonly adapter: string;
  readonly query: string;
}

async function main({ seconds, adapter, query }: Options): Promise<number> {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error('No Chromium: run `npm test`, which installs it or names the command.');
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-page-'));
  await build({ root, mode: 'production', logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
  const { origin, server } = await serveSite(folder);
  const choose = adapter === 'default' ? [] : [`--use-webgpu-adapter=${adapter}`];
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--enable-unsafe-webgpu', '--no-first-run', '--disable-background-networking', ...choose],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const url = new URL(SITE_PATH + query, origin).href;
    const result = await measure(page, url, seconds);
    const longest = Math.max(0, ...result.longTasks);
    console.log(`adapter                      ${result.adapter}`);
    console.log(`opening to first update      ${result.firstUpdateMs.toFixed(0)} ms`);
    console.log(`updates in ${seconds} s              ${result.updates}`);
    console.log(`main-thread tasks over 50 ms ${result.longTasks.length} (longest ${longest.toFixed(0)} ms)`);
    console.log(`longest frame                ${result.longestFrameMs.toFixed(0)} ms`);
  } finally {
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
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
        help: 'How long training is watched after its first update.',
      }),
      adapter: choice(
        'Chromium’s adapter. With a GPU take default; the time to the first update on swiftshader is that of its shader compiler.',
        ['swiftshader', 'default'],
        'swiftshader',
      ),
      query: text('QUERY', 'The query of the page’s address.', '?v=1&questions=4'),
    },
    examples: ['--seconds 10', '--adapter default --query "?v=1"'],
    run: main,
  }),
);
