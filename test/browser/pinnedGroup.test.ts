import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, pause, readRun, readWhen, SMALL, untilAnswered, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

const panel = (page: Page) => page.locator('tw-group');
/** Query of a run with three groups per update. */
const PAGE = `${SMALL.replace('questions=1', 'questions=3')}&panels=group,inspector`;

/** Returns the title of the displayed group. */
const readTitle = (page: Page) => panel(page).locator('.which').innerText();

/** Returns step and number of the displayed group, from its title; NaN if the title has no group. */
const readPosition = async (page: Page) => parsePosition(await readTitle(page));

function parsePosition(text: string): { step: number; group: number } {
  const [, group] = /Group (\d+) of 3/.exec(text) ?? [];
  const [, update] = /update (\d+)/.exec(text) ?? [];
  return { step: Number(update) - 1, group: Number(group) };
}

test('the groups of a pinned step can be browsed while training continues', async () => {
  const { page, errors, close } = await openPage(PAGE);
  await untilStep(page, 1);
  const pin = page.getByRole('checkbox', { name: 'Pin this group' });
  await pin.check();
  const { step, group } = await readWhen(
    () => readPosition(page),
    (position) => position.step + position.group > 0,
  );
  await untilStep(page, (await readRun(page, 'step')).step + 6);
  await page.getByRole('button', { name: 'Next group' }).click();
  await eventually(() => readPosition(page)).toEqual({ step, group: (group % 3) + 1 });
  await eventually(() => pin.isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Next group' }).click();
  await eventually(() => readPosition(page)).toEqual({ step, group: ((group + 1) % 3) + 1 });
  // The Inspector opens the pinned group under the rule of the run.
  await page.getByRole('button', { name: 'Open the group of the run' }).click();
  const name = `update ${step + 1}, group ${((group + 1) % 3) + 1}`;
  await page.getByText(new RegExp(`^the run, ${name}: 1 group, \\d+ turns$`)).waitFor();
  await page
    .locator('tw-inspector tw-credit-choice')
    .getByRole('radio', { name: 'MT-GRPO', exact: true, checked: true })
    .waitFor({ state: 'attached' });
  // After unpinning, the panel shows the newest group.
  await pin.uncheck();
  await eventually(async () => (await readPosition(page)).step).toBeGreaterThan(step);
  await eventually(async () => (await readRun(page, 'status')).status).toBe('playing');
  expect(errors).toEqual([]);
  await close();
});

test('an opened rollout pins its group', async () => {
  const { page, errors, close } = await openPage(`${SMALL}&panels=group`);
  await untilStep(page, 1);
  const pin = page.getByRole('checkbox', { name: 'Pin this group' });
  await eventually(() => pin.isChecked()).toBe(false);
  // The test uses a key, because the next group has rows of other heights, so a click can hit another element.
  await panel(page).getByRole('button', { name: 'Show the transcript of rollout 2' }).press('Enter');
  await eventually(() => pin.isChecked()).toBe(true);
  const text = await readWhen(
    () => readTitle(page),
    (label) => /update \d+/.test(label),
  );
  const pinned = /update \d+/.exec(text)?.[0] ?? '';
  await untilStep(page, (await readRun(page, 'step')).step + 4);
  await panel(page).getByText(pinned, { exact: true }).waitFor();
  await panel(page).getByText('Transcript of rollout 2').waitFor();
  await pin.uncheck();
  await eventually(() => panel(page).getByText(pinned, { exact: true }).count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('the Inspector lists the fields of a file, offers a sample, and reports a missing field', async () => {
  const { page, errors, close } = await openPage('?panels=inspector');
  await untilStep(page, 1);
  const inspector = page.locator('tw-inspector');
  await inspector.getByText('File format and sample').click();
  await inspector.getByText('required; number: the reward of the turn').waitFor();
  const saving = page.waitForEvent('download');
  await inspector.getByRole('button', { name: 'Download a sample file' }).click();
  const sample = await saving;
  expect(sample.suggestedFilename()).toBe('turnwise-sample.jsonl');
  const text = readFileSync(await sample.path(), 'utf8');
  const choose = (name: string, content: string) =>
    inspector
      .locator('input[type=file][multiple]')
      .setInputFiles({ name, mimeType: 'application/jsonl', buffer: Buffer.from(content) });
  await choose('sample.jsonl', text);
  await inspector.getByText(/^sample\.jsonl: \d+ groups, \d+ turns$/).waitFor();
  await choose('bad.jsonl', '{"turns": []}\n');
  await inspector.getByText('bad.jsonl was not opened: line 1, field "id": is missing; a text is needed').waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a page with only the Python panel does not train until the user presses Play', async () => {
  const { page, close } = await openPage(`${SMALL}&panels=python`);
  await untilStatus(page, 'paused');
  // The worker handles messages in order, so steps of training arrive before its response.
  await untilAnswered(page);
  await eventually(async () => (await readRun(page, 'step')).step).toBe(0);
  // Play starts training.
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await untilStep(page, 1);
  await pause(page);
  await close();
});
