import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { choice, number, text } from '../src/cli/framework/flags.ts';
import { CounterRandom } from '../src/random/counter.ts';
import type { App } from '../test/browser/app.ts';
import { BREAKABLE } from '../test/browser/faults.ts';
import { UNPACED } from '../test/browser/unpaced.ts';
import { ADAPTERS, withBuiltPage } from './builtPage.ts';
import { runBenchmark } from './options.ts';
import { COUNTER, countGpu, Heaps, HIDE } from './soakPage.ts';
import { beginEnvironment, drawStep } from './soakSteps.ts';
import { countGrows, grows, trend } from './trend.ts';

/** Resources in use, measured about once per minute while the same small run is paused. */
interface Sample {
  readonly minute: number;
  readonly pageHeap: number;
  readonly workerHeap: number;
  readonly gpuBuffers: number;
  readonly gpuBytes: number;
  readonly devices: number;
  readonly workers: number;
  readonly frames: number;
  /** Counts since the start: actions of the user, updates, started runs, created buffers and devices, stops. */
  readonly steps: number;
  readonly updates: number;
  readonly runs: number;
  readonly bufferCount: number;
  readonly deviceCount: number;
  readonly stops: number;
}

/** Minute from which no resource should grow: caches are full, and kernels are compiled. */
const SETTLED_MINUTE = 5;
/** Minimum growth of a heap that is reported: bytes, and share of the heap. */
const HEAP_NOISE = 2e6;
const HEAP_SHARE = 0.1;
const COUNTS = ['gpuBuffers', 'gpuBytes', 'devices', 'workers', 'frames'] as const;
const HEAPS = ['pageHeap', 'workerHeap'] as const;

/** Script that counts messages of the training worker. */
const LISTEN = `(() => {
  const seen = (globalThis.__soak = { updates: 0, runs: 0, stops: 0, problems: [] });
  const Plain = Worker;
  globalThis.Worker = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        if (data.type === 'metrics') seen.updates++;
        if (data.type === 'ready') seen.runs++;
        if (data.type === 'problem') seen.problems.push(data.problem.message);
        if (data.type === 'status' && data.status === 'stopped') seen.stops++;
      });
    }
  };
})();`;

/** Restarts the run if it stopped, as a user can. */
async function restartWhereStopped(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { run } = document.querySelector('tw-app') as App;
    if (run.session.model.status === 'stopped') void run.dispatch({ type: 'restart' });
  });
}

/** Sets the page to the state for a measurement: a small run of Search, paused after an update. */
async function rest(page: Page): Promise<void> {
  await restartWhereStopped(page);
  await beginEnvironment(page, 'search');
  const done = () => {
    const { status, metrics, configuration } = (document.querySelector('tw-app') as App).run.session.model;
    if (status === 'stopped') throw new Error('the run stopped instead of playing');
    return configuration.environment === 'search' && status === 'playing' && metrics.length > 1;
  };
  await page.waitForFunction(done, undefined, { timeout: 300_000 });
  await page.evaluate(() => (document.querySelector('tw-app') as App).run.session.send({ type: 'pause' }));
  const paused = () => (document.querySelector('tw-app') as App).run.session.model.status === 'paused';
  await page.waitForFunction(paused, undefined, { timeout: 120_000 });
}

async function sample(page: Page, heaps: Heaps, minute: number, steps: number): Promise<Sample> {
  await rest(page);
  const [workerHeap, pageHeap, gpu] = [await heaps.training(), await heaps.page(), await countGpu(page)];
  const { updates, runs, stops } = (await page.evaluate('__soak')) as Pick<Sample, 'updates' | 'runs' | 'stops'>;
  return {
    ...{ minute, pageHeap, workerHeap, gpuBuffers: gpu.buffers, gpuBytes: gpu.bytes, devices: gpu.devices },
    ...{ workers: page.workers().length, frames: page.frames().length, steps, updates, runs, stops },
    ...{ bufferCount: gpu.created.buffers, deviceCount: gpu.created.devices },
  };
}

/**
 * Describes the values that grew from the fifth minute on. Returns an empty list for fewer than three samples.
 */
export function growing(samples: readonly Sample[]): string[] {
  const settled = samples.filter(({ minute }) => minute >= SETTLED_MINUTE);
  if (settled.length < 3) return [];
  const times = settled.map(({ minute }) => minute);
  const of = (name: keyof Sample) => settled.map((measurement) => measurement[name]);
  return [
    ...HEAPS.filter((name) => grows(trend(times, of(name)), HEAP_NOISE, HEAP_SHARE)).map(
      (name) => `${name}: by ${Math.round(trend(times, of(name)).rise / 1000)} kB`,
    ),
    ...COUNTS.filter((name) => countGrows(of(name))).map((name) => `${name}: ${of(name).join(', ')}`),
  ];
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

const COLUMNS: readonly (readonly [string, (sample: Sample) => string])[] = [
  ['minute', ({ minute }) => minute.toFixed(1)],
  ['page heap MB', ({ pageHeap }) => megabytes(pageHeap)],
  ['worker heap MB', ({ workerHeap }) => megabytes(workerHeap)],
  ['GPU buffers', ({ gpuBuffers }) => String(gpuBuffers)],
  ['GPU MB', ({ gpuBytes }) => megabytes(gpuBytes)],
  ['devices', ({ devices }) => String(devices)],
  ['workers', ({ workers }) => String(workers)],
  ['frames', ({ frames }) => String(frames)],
  ['steps', ({ steps }) => String(steps)],
  ['updates', ({ updates }) => String(updates)],
  ['runs', ({ runs }) => String(runs)],
  ['devices opened', ({ deviceCount }) => String(deviceCount)],
  ['stopped', ({ stops }) => String(stops)],
];

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(samples: readonly Sample[]): string {
  const head = [row(COLUMNS.map(([name]) => name)), row(COLUMNS.map(() => '---:'))];
  return [...head, ...samples.map((measurement) => row(COLUMNS.map(([, show]) => show(measurement))))].join('\n');
}

/** Inserts COUNTER and BREAKABLE before the code of the built training worker. */
function addCounters(folder: string): void {
  const assets = join(folder, 'assets');
  const workers = readdirSync(assets).filter((name) => /^training-.*\.js$/.test(name));
  if (workers.length !== 1) throw new Error(`the build has ${workers.length} training workers, expected one`);
  const file = join(assets, workers[0]);
  writeFileSync(file, COUNTER + BREAKABLE + readFileSync(file, 'utf8'));
}

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly adapter: string;
  readonly out: string;
}

async function soak(page: Page, heaps: Heaps, { minutes, seed, out }: Options): Promise<readonly Sample[]> {
  const random = new CounterRandom(seed, 0, 0);
  const samples: Sample[] = [];
  const begin = Date.now();
  const passed = () => (Date.now() - begin) / 60_000;
  let steps = 0;
  while (passed() < minutes) {
    // Time of the next sample [minutes].
    const next = passed() + 0.75;
    const done: string[] = [];
    while (passed() < next) {
      await restartWhereStopped(page);
      done.push(await drawStep(random)(page, random));
      steps++;
      await page.waitForTimeout(300 + random.integer(4000));
    }
    const measurement = await sample(page, heaps, passed(), steps);
    samples.push(measurement);
    const report = COLUMNS.map(([name, show]) => `${name} ${show(measurement)}`).join(', ');
    console.log(`${report}\n  ${done.join('; ')}`);
    const problems = (await page.evaluate('__soak.problems.splice(0)')) as string[];
    for (const problem of problems) console.log(`  reported: ${problem}`);
    if (out !== '') writeFileSync(out, `${JSON.stringify({ seed, minutes, samples }, undefined, 1)}\n`);
  }
  return samples;
}

async function main(options: Options): Promise<number> {
  return withBuiltPage(
    options.adapter,
    async ({ browser, address }) => {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('crash', () => errors.push('the page crashed'));
      await page.addInitScript(UNPACED);
      await page.addInitScript(LISTEN);
      await page.addInitScript(HIDE);
      const heaps = await Heaps.open(page);
      const query = '?v=1&questions=1&groupSize=4&minibatches=1&panels=chart,group';
      await page.goto(address(query));
      await page.waitForFunction('globalThis.__soak.updates > 0', undefined, { timeout: 300_000 });
      const samples = await soak(page, heaps, options);
      const grown = growing(samples);
      console.log(`\n${table(samples)}\n`);
      for (const error of errors) console.log(`uncaught in the page: ${error}`);
      for (const subject of grown) console.log(`grows from minute ${SETTLED_MINUTE} on: ${subject}`);
      if (grown.length === 0) console.log(`Nothing grows from minute ${SETTLED_MINUTE} on.`);
      return grown.length + errors.length > 0 ? 1 : 0;
    },
    addCounters,
  );
}

process.exit(
  await runBenchmark({
    name: 'soak',
    description:
      'Uses the built page in Chromium for a long time with random actions: trains, switches rules, environments, presets ' +
      'and seeds, measures, hides the tab, and loses the GPU device, all drawn from a seed. Once a minute, while a small ' +
      'run is paused, it measures the resources in use: heaps, GPU buffers, devices, workers, frames. The exit code is 1 if ' +
      'one of them grows from the fifth minute on.',
    flags: {
      minutes: number({
        ...{ kind: 'number', name: 'minutes', label: '', default: 30, min: 1, max: 1440, step: 1 },
        help: 'Duration [minutes]; growth can be measured from 8 minutes on.',
      }),
      seed: number({
        ...{ kind: 'number', name: 'seed', label: '', default: 1, min: 0, max: 1e6, step: 1, integer: true },
        help: 'Seed of the actions and their order.',
      }),
      adapter: choice('Chromium’s adapter. With a GPU choose default.', [...ADAPTERS], 'swiftshader'),
      out: text('FILE', 'File for the samples as JSON, rewritten every minute.', ''),
    },
    examples: ['--minutes 30', '--minutes 60 --seed 7 --out soak.json'],
    run: main,
  }),
);
