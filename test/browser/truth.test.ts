import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hasEqualOutcomes } from '../../src/rollouts/flatGroups.ts';
import { timeless } from '../timeless.ts';
import {
  type App,
  eventually,
  openSettings,
  pause,
  readRun,
  SMALL,
  stepToGroup,
  untilStatus,
  untilStep,
} from './app.ts';
import { openPage } from './chromium.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-truth-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Format of a cosine: two digits after the point. */
const COSINE = /^−?(\.\d\d|1\.00)$/;

const PAGE = `${SMALL}&panels=group,truth`;

/** Returns the measurement of the page. The function runs in the page. */
const truthOf = () => (document.querySelector('tw-app') as App).run.session.model.truth;

test('a measured group has a drawing and a table, supports the keyboard, and is saved and opened as a file', async () => {
  const { page, errors, close } = await openPage(PAGE);
  await untilStep(page, 1);
  await pause(page);
  // By default, a tied group is not measured.
  const { group } = await stepToGroup(page, ({ forest }) => !hasEqualOutcomes(forest));
  const panel = page.locator('tw-truth');
  await eventually(() => panel.getByRole('checkbox', { checked: true }).count()).toBe(3);
  await panel.getByLabel('Continuations from each point').selectOption('8');
  await panel.getByLabel('Batch for reference gradients').selectOption('16');
  await panel.getByRole('button', { name: 'Measure', exact: true }).click();
  await page.waitForFunction(truthOf);
  await panel.getByRole('heading', { name: 'Measured advantages and rule advantages' }).waitFor();
  await untilStatus(page, 'paused');
  const truth = await page.evaluate(truthOf);
  expect(truth?.ended).toBe('complete');
  const turns = truth?.report?.groups[0]?.turns ?? [];
  expect(turns.length).toBe(8);
  expect(truth?.report?.groups[0]?.question).toBe(group.question);

  // Each of the three rules has a bar for each of the eight turns.
  await eventually(() => panel.locator('.drawing > svg > g').count()).toBe(3);
  await eventually(() => panel.locator('.drawing .bar').count()).toBe(24);
  await eventually(() => panel.locator('tw-truth-result thead th').allInnerTexts()).toEqual([
    'Measure',
    'GRPO-OR',
    'MT-GRPO',
    'GRPO-MR',
    'measured',
  ]);
  const cosines = panel.getByRole('row', { name: /^Gradient cosine/ }).getByRole('cell');
  await eventually(async () => (await cosines.allInnerTexts()).filter((text) => !COSINE.test(text))).toEqual([]);

  const reader = panel.getByRole('slider');
  await reader.press('End');
  const best = turns.reduce((largest, turn) => (turn.advantage.mean >= largest.advantage.mean ? turn : largest));
  await eventually(() => reader.getAttribute('aria-valuetext')).toContain(
    `Rollout ${best.rollout + 1}, turn ${best.turn + 1}: ${best.summary}`,
  );
  await reader.press('Home');
  await eventually(() => reader.getAttribute('aria-valuenow')).toBe('1');
  await panel.getByRole('button', { name: /^Table: / }).click();
  await eventually(() => panel.locator('tw-truth-turns tbody tr').count()).toBe(8);

  const saving = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'JSON' }).click();
  const file = join(folder, 'measured.json');
  await (await saving).saveAs(file);
  expect(JSON.parse(readFileSync(file, 'utf8')).groups[0].turns).toEqual(turns);
  await panel.locator('input[type=file]').setInputFiles(file);
  await panel.getByText('measured.json: search, seed 1.').waitFor();
  await eventually(() => panel.locator('.drawing .bar').count()).toBe(24);
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, readFileSync(file, 'utf8').replace('"reward":', '"rewards":'));
  await panel.locator('input[type=file]').setInputFiles(wrong);
  await panel
    .getByRole('alert')
    .getByText('wrong.json was not opened: field groups[0].turns[0].reward: it is missing.')
    .waitFor();
  await panel.getByText('measured.json: search, seed 1.').waitFor();
  await panel.getByRole('button', { name: 'Close the file' }).click();
  await panel.getByText(/Update \d+, group 1: /).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a measurement of a playing run shows its progress, can be cancelled, and does not change the curve', async () => {
  const { page, errors, close } = await openPage(PAGE);
  await untilStep(page, 1);
  await pause(page);
  // The form selects "a new sample" automatically for a tied group, so the test selects it at an untied group.
  await stepToGroup(page, ({ forest }) => !hasEqualOutcomes(forest));
  const panel = page.locator('tw-truth');
  await panel.getByRole('radio', { name: 'a new sample' }).check();
  await panel.getByLabel('Continuations from each point').selectOption('256');
  await panel.getByLabel('Batch for reference gradients').selectOption('256');
  await page.getByRole('button', { name: 'Play' }).click();
  await panel.getByRole('button', { name: 'Measure', exact: true }).click();
  // The measurement takes longer than the next checks, which check the page during the measurement.
  await page.getByText(/^Measuring · update \d+$/).waitFor();
  await panel.getByRole('progressbar', { name: 'Measuring' }).waitFor();
  await eventually(() => panel.getByRole('button', { name: 'Measure', exact: true }).isDisabled()).toBe(true);
  await panel.getByText(/^continuations: batch \d+ of \d+$/).waitFor();
  await panel.getByText(/^about \d+ (s|min) left$/).waitFor();
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await panel.getByText('Cancelled. The completed part is below.').waitFor();
  const { step } = await readRun(page, 'step');
  await untilStep(page, step + 2);
  const measured = (await pause(page)).metrics;
  // After a reset, the measurement remains and is marked as from the previous run.
  await (await openSettings(page)).getByRole('button', { name: 'Reset' }).click();
  await panel.getByText('From the previous run.').waitFor();
  await eventually(() => panel.getByText('Cancelled').count()).toBe(0);
  await close();

  const calm = await openPage(SMALL);
  await untilStep(calm.page, measured.length);
  const same = (await pause(calm.page)).metrics.slice(0, measured.length);
  expect(measured.map(timeless)).toEqual(same.map(timeless));
  expect([...errors, ...calm.errors]).toEqual([]);
  await calm.close();
});
