import { expect, test } from 'vitest';
import { describeReport, LEAST_CLEAR } from '../../src/app/truth/report.ts';
import { isClear } from '../../src/experiments/truth/trueAdvantages.ts';
import { hasEqualOutcomes } from '../../src/rollouts/flatGroups.ts';
import { type App, eventually, pause, SMALL, stepToGroup, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';
import { expectAccessible } from './findings.ts';

const PAGE = `${SMALL}&panels=group,truth`;

/** Returns the measurement of the page. The function runs in the page. */
const truthOf = () => (document.querySelector('tw-app') as App).run.session.model.truth;

test('a measured group of a real run has the same credit as the run', async () => {
  const { page, errors, close } = await openPage(PAGE, { real: true });
  await untilStep(page, 1);
  await pause(page);
  const { group } = await stepToGroup(page, ({ forest }) => !hasEqualOutcomes(forest));
  const panel = page.locator('tw-truth');
  await panel.getByLabel('Continuations from each point').selectOption('8');
  await panel.getByLabel('Batch for reference gradients').selectOption('16');
  await panel.getByRole('button', { name: 'Measure', exact: true }).click();
  await panel.getByRole('heading', { name: 'Measured advantages and rule advantages' }).waitFor();
  await untilStatus(page, 'paused');
  const truth = await page.evaluate(truthOf);
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

test('axe has no serious findings in the panel of measured advantages', async () => {
  const { page, close } = await openPage(PAGE);
  // More updates than the worker stores groups: the group that the form offers is still stored.
  await untilStep(page, 7);
  const { group } = await pause(page);
  const panel = page.locator('tw-truth');
  await panel.getByText(`current group: update ${Number(group?.step) + 1}, group`).waitFor();
  await panel.getByLabel('Continuations from each point').selectOption('8');
  await panel.getByLabel('Batch for reference gradients').selectOption('0');
  await panel.getByRole('button', { name: 'Measure', exact: true }).click();
  await panel.locator('.drawing > svg').waitFor();
  await panel.getByRole('button', { name: /^Table: / }).click();
  await expectAccessible(page);
  await close();
});

test('by default, the panel measures an untied group, and it reports a tied group before the measurement', async () => {
  const { page, errors, close } = await openPage(PAGE);
  await untilStep(page, 1);
  await pause(page);
  const panel = page.locator('tw-truth');
  const tied = panel.getByText(/^All rollouts of the current group have the same outcome/);
  await stepToGroup(page, ({ forest }) => hasEqualOutcomes(forest));
  await tied.waitFor();
  await eventually(() => panel.getByRole('radio', { name: 'a new sample' }).isChecked()).toBe(true);
  // A user who selects the tied group anyway gets the same message.
  await panel.getByRole('radio', { name: /^current group/ }).check();
  await panel.getByText(/^All rollouts of this group have the same outcome/).waitFor();
  const { group: untied } = await stepToGroup(page, ({ forest }) => !hasEqualOutcomes(forest));
  await panel.getByRole('radio', { name: `current group: update ${untied.step + 1}` }).waitFor();
  await eventually(() => panel.getByText(/have the same outcome/).count()).toBe(0);
  // Measure with the default settings.
  await panel.getByRole('button', { name: 'Measure', exact: true }).click();
  await untilStatus(page, 'measuring');
  await panel.getByRole('heading', { name: 'Summary' }).waitFor();
  await untilStatus(page, 'paused');
  const truth = await page.evaluate(truthOf);
  expect(truth?.ended).toBe('complete');
  const turns = truth?.report?.groups[0]?.turns ?? [];
  const clear = turns.filter(({ advantage }) => isClear(advantage)).length;
  const lines = truth?.report ? describeReport(truth.report) : [];
  expect(lines).not.toEqual([]);
  await eventually(() => panel.locator('.description li').allInnerTexts()).toEqual(lines);
  const text = lines.join(' ');
  // The summary ranks rules only if enough turns have a clear advantage.
  if (clear < LEAST_CLEAR) expect(text).not.toMatch(/closely/);
  else expect(text).not.toMatch(/No ranking: \d+ of/);
  expect(errors).toEqual([]);
  await close();
});
