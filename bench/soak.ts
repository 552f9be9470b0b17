import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { findChromium } from '../scripts/chromium.mjs';
import { choice, text, whole } from '../src/cli/flags.ts';
import type { App } from '../test/browser/app.ts';
import { SITE_PATH, serveSite } from '../test/browser/siteServer.ts';
import { root } from '../test/files.ts';
import { runBenchmark } from './options.ts';
import { act, Dice } from './soakActions.ts';
import { WorkerHeaps } from './soakHeaps.ts';
import { type Bound, type Trend, trendOf } from './soakTrend.ts';

/** A run that a software adapter updates several times a second: what every minute ends with, so that minutes compare. */
const HOME = '?v=1&questions=1&groupSize=4&minibatches=1';
/** The page may fill its caches until then. */
const WARM_MINUTES = 5;
const PAUSE_MS = 1500;

/** What the page holds at the end of a minute, with the same small run standing still. */
interface Sample {
  readonly minute: number;
  readonly actions: number;
  readonly updates: number;
  readonly lost: number;
  readonly heapMB: number;
  readonly workerHeapMB: number;
  readonly buffers: number;
  readonly bufferMB: number;
  readonly devices: number;
  readonly workers: number;
  readonly frames: number;
  readonly nodes: number;
}

const BOUNDS: readonly (Bound & { readonly name: keyof Sample })[] = [
  { name: 'heapMB', margin: 3 },
  { name: 'workerHeapMB', margin: 3 },
  { name: 'buffers', margin: 0 },
  { name: 'bufferMB', margin: 0 },
  { name: 'devices', margin: 0 },
  { name: 'workers', margin: 0 },
  { name: 'frames', margin: 0 },
  { name: 'nodes', margin: 500 },
];

/** Puts the counter of buffers before the training worker's own code, in a copy that only this soak serves. */
function countBuffers(folder: string): void {
  const assets = join(folder, 'assets');
  const worker = readdirSync(assets).find((name) => /^training-.*\.js$/.test(name));
  if (worker === undefined) throw new Error(`no training worker in ${assets}`);
  copyFileSync(new URL('soakCounts.js', import.meta.url), join(assets, 'soakCounts.js'));
  writeFileSync(join(assets, worker), `import './soakCounts.js';\n${readFileSync(join(assets, worker), 'utf8')}`);
}

/** Back to the small run, standing still, the kept runs but for the newest few deleted, all garbage collected. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
    document.dispatchEvent(new Event('visibilitychange'));
    const { run } = document.querySelector('tw-app') as App;
    if (run.session.model.status === 'stopped') run.restart();
    run.environment('search');
  });
  const status = () => page.evaluate(() => (document.querySelector('tw-app') as App).run.session.model.status);
  await page.waitForFunction(
    () => {
      const { model } = (document.querySelector('tw-app') as App).run.session;
      return model.configuration.environment === 'search' && ['playing', 'paused', 'stopped'].includes(model.status);
    },
    undefined,
    { timeout: 180_000 },
  );
  if ((await status()) === 'stopped') throw new Error('the run did not start at the end of a minute');
  await page.evaluate(() => {
    const { run } = document.querySelector('tw-app') as App;
    run.session.send({ type: 'play' });
  });
  await page.waitForFunction(() => (document.querySelector('tw-app') as App).run.session.model.step >= 3, undefined, {
    timeout: 180_000,
  });
  await page.evaluate(() => (document.querySelector('tw-app') as App).run.session.send({ type: 'pause' }));
  await page.waitForFunction(
    () => (document.querySelector('tw-app') as App).run.session.model.status === 'paused',
    undefined,
    { timeout: 180_000 },
  );
  await page.evaluate(async () => {
    const { run } = document.querySelector('tw-app') as App;
    await run.storage.written;
    for (const kept of run.storage.runs.slice(3)) await run.removeKept(kept);
    run.dismissNotices();
  });
}

async function main({ minutes, seed, adapter, markdown }: Options): Promise<number> {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error('No Chromium: run `npm test`, which installs it or names the command.');
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-soak-'));
  await build({ root, mode: 'production', logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
  countBuffers(folder);
  const { origin, server } = await serveSite(folder);
  const choose = adapter === 'default' ? [] : [`--use-webgpu-adapter=${adapter}`];
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--enable-unsafe-webgpu', '--no-first-run', '--disable-background-networking', ...choose],
  });
  const samples: Sample[] = [];
  const errors: string[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('pageerror', (error) => errors.push(error.message));
    // tsx marks functions with their names by a helper, which functions that run in the page lack.
    await page.addInitScript('globalThis.__name = (named) => named');
    const heaps = await WorkerHeaps.of(page);
    await page.goto(new URL(`${SITE_PATH}${HOME}`, origin).href);
    await page.waitForFunction(() => (document.querySelector('tw-app') as App).run.session.model.step >= 2, undefined, {
      timeout: 300_000,
    });
    const updates = await countUpdates(page);
    const dice = new Dice(seed);
    const begun = performance.now();
    let actions = 0;
    let lost = 0;
    for (let minute = 1; minute <= minutes; minute++) {
      while (performance.now() - begun < minute * 60_000) {
        const done = await act(page, dice);
        actions++;
        if (done === 'the device is lost') lost++;
        await page.waitForTimeout(dice.next() * PAUSE_MS);
      }
      await settle(page);
      const sample = await measure(page, heaps, { minute, actions, lost, updates: await updates() });
      samples.push(sample);
      console.log(lineOf(sample));
    }
  } finally {
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return report(samples, errors, markdown, `npm run soak -- --minutes ${minutes} --seed ${seed}`);
}

/** Counts the updates that the page hears of, whatever run they are of. */
async function countUpdates(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counts = { updates: 0 };
    Object.assign(globalThis, { soakPage: counts });
    (document.querySelector('tw-app') as App).run.session.listen(({ type }) => {
      if (type === 'metrics') counts.updates++;
    });
  });
  return () => page.evaluate(() => (globalThis as unknown as { soakPage: { updates: number } }).soakPage.updates);
}

async function measure(
  page: Page,
  heaps: WorkerHeaps,
  counted: Pick<Sample, 'minute' | 'actions' | 'lost' | 'updates'>,
): Promise<Sample> {
  const { pageMB, workersMB } = await heaps.measure();
  const gpu = { devices: 0, buffers: 0, bytes: 0 };
  for (const worker of page.workers()) {
    const counts = await worker
      .evaluate(() => (globalThis as unknown as { soakCounts?: () => typeof gpu }).soakCounts?.())
      .catch(() => undefined);
    if (!counts) continue;
    gpu.devices += counts.devices;
    gpu.buffers += counts.buffers;
    gpu.bytes += counts.bytes;
  }
  return {
    ...counted,
    heapMB: pageMB,
    workerHeapMB: workersMB,
    buffers: gpu.buffers,
    bufferMB: gpu.bytes / 1e6,
    devices: gpu.devices,
    workers: page.workers().length,
    frames: page.frames().length,
    nodes: await page.evaluate(() => {
      const count = (within: ParentNode): number =>
        [...within.querySelectorAll('*')].reduce(
          (sum, one) => sum + 1 + (one.shadowRoot ? count(one.shadowRoot) : 0),
          0,
        );
      return count(document);
    }),
  };
}

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function lineOf(sample: Sample): string {
  return Object.entries(sample)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join('  ');
}

function report(samples: readonly Sample[], errors: readonly string[], markdown: string, command: string): number {
  const watched = samples.filter(({ minute }) => minute >= WARM_MINUTES);
  const trends = BOUNDS.map((bound) =>
    trendOf(
      bound,
      watched.map((sample) => [sample.minute, sample[bound.name]]),
    ),
  );
  const text = [
    `| measure | minute ${watched[0]?.minute ?? 0} | minute ${watched.at(-1)?.minute ?? 0} | trend over that time | allowed |`,
    '| --- | --- | --- | --- | --- |',
    ...trends.map(
      (trend) =>
        `| ${trend.name} ${[trend.first, trend.last, trend.growth, trend.margin].map((value) => `| ${shown(value)} `).join('')}|`,
    ),
  ].join('\n');
  const { actions = 0, updates = 0, lost = 0 } = samples.at(-1) ?? {};
  const summary = `${actions} things done, ${updates} updates, the device lost ${lost} times, ${errors.length} uncaught errors.`;
  console.log(`\n${text}\n\n${summary}`);
  for (const error of new Set(errors)) console.log(`uncaught: ${error}`);
  if (markdown !== '') writeFileSync(markdown, `Made by \`${command}\`.\n\n${text}\n\n${summary}\n`);
  const growing = trends.filter(({ grows }: Trend) => grows).map(({ name }) => name);
  if (watched.length < 2) console.log(`nothing was watched: it takes more than ${WARM_MINUTES} minutes`);
  if (growing.length > 0) console.log(`grows: ${growing.join(', ')}`);
  return growing.length > 0 || errors.length > 0 || watched.length < 2 ? 1 : 0;
}

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly adapter: string;
  readonly markdown: string;
}

process.exit(
  await runBenchmark({
    name: 'soak',
    description:
      'Uses the built page in Chromium at random for a long time: trains, switches rules, environments and presets, loses ' +
      'the device and the worker, hides the page. Every minute ends with the same small run standing still, where heaps, ' +
      `GPU buffers, workers, frames and elements are counted. What grows from minute ${WARM_MINUTES} on fails it.`,
    flags: {
      minutes: whole('How long it goes on.', { min: 1, max: 1440, default: 30 }),
      seed: whole('Draws what is done.', { min: 0, max: 999_999, default: 1 }),
      adapter: choice('Chromium’s adapter.', ['swiftshader', 'default'], 'swiftshader'),
      markdown: text('FILE', 'Where the table goes.', ''),
    },
    examples: ['--minutes 30', '--minutes 8 --seed 2'],
    run: main,
  }),
);
