import { expect, test } from 'vitest';
import { eventually, pause, readRun, untilKept, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

/** Two problems, four rollouts of each: a software adapter updates it about once a second. */
const REPAIR = '?v=1&environment=repair&groupSize=4&programs=8&minibatches=1';

test('a policy that writes Python trains in the page: real verdicts, kept and resumed', async () => {
  const { page, errors, close } = await openPage(REPAIR);
  await untilStep(page, 2);
  const { configuration, controls, group, metrics } = await pause(page);
  expect(configuration.environment).toBe('repair');
  expect(controls).toMatchObject({ rule: 'grpo-mt', programs: 8 });
  expect(metrics[0]).toMatchObject({ toolUse: null, facts: { pass1: expect.any(Number) } });
  // Each turn is a program with a verdict of each test, and the forest tells the rules the same.
  const turns = group?.rollouts.flatMap((rollout) => rollout.turns) ?? [];
  expect(turns.map(({ forestTurn }) => forestTurn)).toEqual(group?.forest.turns.map((_, turn) => turn));
  for (const { detail, forestTurn } of turns) {
    const passed = detail?.tests.map((result) => Number(result.passed));
    if (detail?.tests.length) expect(passed).toEqual(group?.forest.turns[forestTurn]?.passed);
  }
  expect(turns.some(({ detail }) => detail?.tests.length === 10 && detail.program.includes('return'))).toBe(true);

  await untilKept(page, 2);
  await page.reload();
  await untilStatus(page, 'paused');
  await eventually(() => page.getByRole('radio', { name: 'Repair' }).isChecked()).toBe(true);
  const again = await readRun(page);
  expect(again.step).toBeGreaterThanOrEqual(2);
  expect(again.metrics.slice(0, 2).map(({ loss }) => loss)).toEqual(metrics.slice(0, 2).map(({ loss }) => loss));
  expect(errors).toEqual([]);
  await close();
});

test('another environment begins a run of its own and ends what the one before held open', async () => {
  const { page, errors, close } = await openPage('?v=1&environment=repo&questions=1&groupSize=2&minibatches=1');
  const frames = page.locator('iframe[title="Python"]');
  await untilStep(page, 1);
  await eventually(() => frames.count()).toBeGreaterThan(0);
  const rules = page.locator('tw-rule-switch').getByRole('radio');
  await eventually(() => rules.evaluateAll((all) => all.map((radio) => (radio as HTMLInputElement).value))).toEqual([
    'rtmc',
    'grpo-or',
    'grpo-step',
  ]);
  await eventually(() => page.getByLabel(/^States$/).isVisible()).toBe(true);
  await page.getByRole('radio', { name: 'Search' }).check();
  await page.waitForURL((url) => url.search === '?v=1&world=shortcut&rule=mt-grpo&seed=1');
  await untilStep(page, 1);
  await eventually(() => frames.count()).toBe(0);
  await eventually(() => page.getByRole('button', { name: 'GRPO-OR: collapse' }).isVisible()).toBe(true);
  await page.getByRole('button', { name: /^Open Repository: RTMC, seed 1 at step \d+$/ }).waitFor();
  expect(errors).toEqual([]);
  await close();
});
