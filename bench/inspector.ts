import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { integerFlag } from '../src/cli/framework/flags.ts';
import { alignedTable } from '../src/cli/framework/terminal.ts';
import { GROUP_SORTS } from '../src/diagnosis/diagnosis.ts';
import { writeGroups } from '../src/rollouts/jsonLines.ts';
import { withBuiltPage } from './builtPage.ts';
import { syntheticGroups } from './creditForest.ts';
import { runBenchmark } from './options.ts';
import { mainThreadTasks, type Task } from './trace.ts';

/** Duration over which a task delays input [ms]. */
const LONG = 50;
/** Number of parts of a long task that are printed. */
const PARTS = 4;

/** Script that records the long tasks that the browser reports. */
const OBSERVE = `(() => {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
})();`;

process.exitCode = await runBenchmark({
  name: 'bench:inspector',
  description:
    'Measures tasks over 50 ms of the main thread in Chromium while the Inspector opens, scrolls, sorts and steps through ' +
    'a large file of groups. Prints the time and the processor time of each task, and the events that it consists of.',
  flags: { turns: integerFlag('Turns of the file.', { min: 32, max: 10_000_000, default: 200_000 }) },
  examples: ['', '--turns 20000'],
  async run({ turns }) {
    const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
    try {
      const file = join(folder, 'groups.jsonl');
      const groups = syntheticGroups(turns, 'chains', new Set(['state', 'action']));
      writeFileSync(file, writeGroups(groups));
      return await withBuiltPage('swiftshader', async ({ browser, address }) => {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        await page.addInitScript(OBSERVE);
        await page.goto(address('#inspect'));
        const choose = page.getByLabel('Choose files');
        await choose.waitFor({ state: 'attached' });
        await page.waitForTimeout(2000);
        const rows = [];
        rows.push(await phase(browser, page, 'open', () => open(page, file, groups.length)));
        rows.push(await phase(browser, page, 'scroll', () => scroll(page)));
        rows.push(await phase(browser, page, 'sort', () => sort(page)));
        rows.push(await phase(browser, page, 'next group', () => step(page)));
        const head = ['action', 'time', 'long tasks', 'longest', 'over 50 ms of processor time', 'most processor time'];
        process.stdout.write(
          `${turns} turns in ${groups.length} groups\n${alignedTable(
            head,
            rows.map(({ row }) => row),
          )}\n`,
        );
        for (const { name, tasks } of rows)
          for (const task of tasks) process.stdout.write(`${name}: ${described(task)}\n`);
        return 0;
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});

/** Traces an action of the user. Returns a row of the table, and the long tasks. */
async function phase(browser: Browser, page: Page, name: string, act: () => Promise<void>) {
  await page.evaluate('globalThis.longTasks.length = 0');
  await browser.startTracing(page, { categories: ['__metadata', 'toplevel', 'devtools.timeline', 'v8'] });
  const start = performance.now();
  await act();
  const seconds = (performance.now() - start) / 1000;
  await page.waitForTimeout(500);
  const tasks = mainThreadTasks(await browser.stopTracing()).filter(({ duration }) => duration > LONG);
  const reported = (await page.evaluate('globalThis.longTasks')) as number[];
  const byProcessor = tasks.map(({ processor }) => processor);
  const milliseconds = (values: readonly number[]) => `${Math.max(0, ...values).toFixed(0)} ms`;
  const row = [
    ...[name, `${seconds.toFixed(1)} s`, String(reported.length), milliseconds(reported)],
    ...[String(byProcessor.filter((time) => time > LONG).length), milliseconds(byProcessor)],
  ];
  return { name, row, tasks };
}

async function open(page: Page, file: string, groups: number): Promise<void> {
  await page.getByLabel('Choose files').setInputFiles(file);
  await page.getByText(`of ${groups}`, { exact: true }).waitFor({ timeout: 300_000 });
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 450);
  for (const direction of [1, -1]) {
    for (let at = 0; at < 15; at++) {
      await page.mouse.wheel(0, direction * 400);
      await page.waitForTimeout(50);
    }
  }
}

async function sort(page: Page): Promise<void> {
  const order = page.locator('tw-inspector .sort select');
  for (const name of [...GROUP_SORTS.slice(1), GROUP_SORTS[0]]) {
    await order.selectOption(name);
    await page.waitForTimeout(300);
  }
}

async function step(page: Page): Promise<void> {
  for (let at = 0; at < 10; at++) {
    await page.locator('tw-inspector .stepper button').last().click();
    await page.waitForTimeout(200);
  }
}

function described({ duration, processor, parts }: Task): string {
  const largest = [...parts].sort(([, a], [, b]) => b - a).slice(0, PARTS);
  const list = largest.map(([name, time]) => `${name} ${time.toFixed(0)} ms`).join(', ');
  return `${duration.toFixed(0)} ms, ${processor.toFixed(0)} ms of processor time: ${list}`;
}
