import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { integerFlag, text } from '../src/cli/framework/flags.ts';
import { readLessons } from '../src/lessons/lessonFiles.ts';
import { root } from '../test/files.ts';
import { withBuiltPage } from './builtPage.ts';
import { runBenchmark } from './options.ts';

/** Timeout of an experiment [ms]. */
const TIMEOUT = 60 * 60_000;

/** Runs an experiment with the first curve as prediction. @returns time from the click on "Train" to the result [ms] */
async function goThrough(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.locator('tw-experiment .choices button').first().click();
  const begin = performance.now();
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page
    .getByRole('heading', { name: 'Your prediction and the result', exact: true })
    .waitFor({ timeout: TIMEOUT });
  return performance.now() - begin;
}

/** Returns the result file that the user would submit. */
async function resultFile(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Lessons', exact: true }).click();
  const save = page.getByRole('button', { name: 'Save the result file', exact: true });
  const [file] = await Promise.all([page.waitForEvent('download'), save.click()]);
  return readFileSync(await file.path(), 'utf8');
}

interface Options {
  readonly lesson: string;
  readonly seed: number;
  readonly query: string;
  readonly out: string;
}

async function main({ lesson, seed, query, out }: Options): Promise<number> {
  const lessons = lesson === '' ? readLessons(join(root, 'lessons')).map(({ name }) => name) : lesson.split(',');
  if (out !== '') mkdirSync(out, { recursive: true });
  return withBuiltPage('default', async ({ browser, address }) => {
    for (const name of lessons) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const milliseconds = await goThrough(page, address(`?v=1&seed=${seed}${query}#learn/${name}`));
      const file = await resultFile(page);
      await page.close();
      const [load = 0] = loadavg();
      const seconds = Math.round(milliseconds / 1000);
      console.log(
        `${name}: { device: Chromium, seconds: ${seconds}, cores: ${cpus().length}, load: ${Math.round(load)} }`,
      );
      if (out !== '') writeFileSync(join(out, `${name}.json`), file);
    }
    return 0;
  });
}

process.exit(
  await runBenchmark({
    name: 'bench:lesson',
    description:
      'Goes through the experiments of lessons in Chromium, and prints how long a reader waits from the press of the button to ' +
      'the result, in the form of a line of `measured.yaml`. With --out it saves the result files.',
    flags: {
      lesson: text('LESSONS', 'Names of lessons, separated by commas. Default: all lessons.', ''),
      seed: integerFlag('Seed of the runs.', { min: 0, max: 999_999, default: 1 }),
      query: text('QUERY', 'More of the page’s address, "&questions=4" for smaller updates.', ''),
      out: text('FOLDER', 'Where the result files go.', ''),
    },
    examples: ['--lesson tool-dies', '--lesson one-reward,critic --query "&questions=4" --out results'],
    run: main,
  }),
);
