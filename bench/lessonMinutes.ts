import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { choice, text, whole } from '../src/cli/framework/flags.ts';
import { readResultFile } from '../src/lessons/results/resultFile.ts';
import { ADAPTERS, withBuiltPage } from './builtPage.ts';
import { runBenchmark } from './options.ts';

/** Milliseconds after which an experiment is given up. */
const PATIENCE = 60 * 60_000;

/** Goes through the experiment as a reader does, who picks the first curve. @returns milliseconds from the press of the button on */
async function goThrough(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.locator('tw-experiment .choices button').first().click();
  const begin = performance.now();
  await page.getByRole('button', { name: 'Train it', exact: true }).click();
  await page.getByRole('heading', { name: '3. Reveal', exact: true }).waitFor({ timeout: PATIENCE });
  return performance.now() - begin;
}

/** The result file that the reader would hand in. */
async function resultFile(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Lessons', exact: true }).click();
  const save = page.getByRole('button', { name: 'Save the result file', exact: true });
  const [file] = await Promise.all([page.waitForEvent('download'), save.click()]);
  return readFileSync(await file.path(), 'utf8');
}

interface Options {
  readonly lesson: string;
  readonly adapter: string;
  readonly seed: number;
  readonly query: string;
  readonly out: string;
}

async function main({ lesson, adapter, seed, query, out }: Options): Promise<number> {
  return withBuiltPage(adapter, async ({ browser, address }) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const milliseconds = await goThrough(page, address(`?v=1&seed=${seed}${query}#learn/${lesson}`));
    const file = await resultFile(page);
    const [run] = readResultFile(file).lessons[0]?.attempts[0]?.runs ?? [];
    const [load = 0] = loadavg();
    console.log(
      `{ device: ${run?.device}, seconds: ${Math.round(milliseconds / 1000)}, cores: ${cpus().length}, load: ${Math.round(load)} }`,
    );
    if (out !== '') writeFileSync(out, file);
    return 0;
  });
}

process.exit(
  await runBenchmark({
    name: 'bench:lesson',
    description:
      'Goes through the experiment of a lesson in Chromium, and tells how long a reader waits from the press of the button to ' +
      'the result, in the form of a line of `measured` in the lesson’s teacher.md. With --out it keeps the result file.',
    flags: {
      lesson: text('LESSON', 'Name of the lesson.', 'one-reward'),
      adapter: choice(
        'Chromium’s adapter; with a GPU take default. The time in Node: `turnwise lessons LESSON --seeds 1`.',
        [...ADAPTERS],
        'swiftshader',
      ),
      seed: whole('Seed of the runs.', { min: 0, max: 999_999, default: 1 }),
      query: text('QUERY', 'More of the page’s address, "&questions=4" for smaller updates.', ''),
      out: text('FILE', 'Where the result file goes.', ''),
    },
    examples: ['--lesson tool-dies', '--lesson one-reward --query "&questions=4" --out ada.json'],
    run: main,
  }),
);
