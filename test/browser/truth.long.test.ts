import { expect, test } from 'vitest';
import { endsAlike } from '../../src/rollouts/endings.ts';
import { type App, eventually, pause, SMALL, stepToGroup, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

test('a group of a real run is measured with the policy of the run, and its rules give the credit of the run', async () => {
  const { page, errors, close } = await openPage(`${SMALL}&panels=group,truth`, { real: true });
  await untilStep(page, 1);
  await pause(page);
  const { group } = await stepToGroup(page, ({ forest }) => !endsAlike(forest));
  const panel = page.locator('tw-truth');
  await panel.getByLabel('Continuations from each point').selectOption('8');
  await panel.getByLabel('Batch for reference gradients').selectOption('16');
  await panel.getByRole('button', { name: 'Measure', exact: true }).click();
  await panel.getByRole('heading', { name: 'Each turn: measured, and what the rules say' }).waitFor();
  await untilStatus(page, 'paused');
  const truth = await page.evaluate(() => (document.querySelector('tw-app') as App).run.session.model.truth);
  expect(truth?.ended).toBe('complete');
  const [measured] = truth?.report?.groups ?? [];
  expect(measured?.question).toBe(group.question);
  const credits = group.rollouts.flatMap(({ turns }) => turns.map(({ advantage }) => advantage.toFixed(3)));
  expect(measured?.turns.map(({ rules }) => rules['mt-grpo']?.toFixed(3))).toEqual(credits);
  expect(truth?.report?.gradients?.rules.map(({ rule }) => rule)).toEqual(['grpo-or', 'mt-grpo', 'grpo-mr', 'truth']);
  await eventually(() => panel.locator('.drawing .bar').count()).toBe(24);
  expect(errors).toEqual([]);
  await close();
});

test('the panel has no serious findings of axe', async () => {
  const { page, close } = await openPage(`${SMALL}&panels=group,truth`);
  // More groups than the worker keeps: what the form offers below what can be seen is still there to be measured.
  await untilStep(page, 7);
  const { group } = await pause(page);
  const panel = page.locator('tw-truth');
  await panel.getByText(`current group: step ${group?.step}, group`).waitFor();
  await panel.getByLabel('Continuations from each point').selectOption('8');
  await panel.getByLabel('Batch for reference gradients').selectOption('0');
  await panel.getByRole('button', { name: 'Measure', exact: true }).click();
  await panel.locator('.drawing > svg').waitFor();
  await panel.getByRole('button', { name: /^Table: / }).click();
  await expectAccessible(page);
  await close();
});
