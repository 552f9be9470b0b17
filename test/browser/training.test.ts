import { beforeAll, describe, expect, test } from 'vitest';
import {
  type App,
  curveOf,
  eventually,
  openSettings,
  openTab,
  pause,
  readGroup,
  readRun,
  readWhen,
  SMALL,
  scrollToChart,
  untilStatus,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';

test('the page trains when it opens: the curve grows, and the table describes each turn of the group', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await openTab(page, 'This group');
  const line = (await scrollToChart(page)).locator('.lines path').first();
  const points = async () => ((await line.getAttribute('d')) ?? '').split(/[ML]/).length - 1;
  await untilStep(page, 3);
  await eventually(points).toBeGreaterThanOrEqual(3);
  const before = await readWhen(points, (drawn) => drawn >= 3);
  await untilStep(page, before + 2);
  await eventually(points).toBeGreaterThanOrEqual(before + 2);
  await page.getByText(/^Training · update \d+$/).waitFor();

  const { group } = await pause(page);
  // The panel shows a group for a minimum time, and draws it only while it is visible.
  await page.locator('tw-group').scrollIntoViewIfNeeded();
  await page
    .locator('tw-group')
    .getByText(`update ${(group?.step ?? 0) + 1}`, { exact: true })
    .waitFor();
  const rows = page.locator('tw-group-table tbody tr');
  await eventually(() => rows.count()).toBe(4);
  await eventually(() => rows.first().locator('.words').first().innerText()).toBe(
    group?.rollouts[0]?.turns[0]?.summary,
  );
  for (let row = 0; row < 4; row++) {
    const readLabels = () => rows.nth(row).locator('.words').allInnerTexts();
    await eventually(async () => (await readLabels()).filter((text) => !/\w+ed|call|answer/.test(text))).toEqual([]);
    await eventually(() => rows.nth(row).locator('.reward b').first().innerText()).toMatch(/^−?\d/);
  }
  // The advantages of a group sum to 0, up to rounding to two digits.
  const sum = () =>
    rows.evaluateAll((all) =>
      all
        .map((row) => Number(row.querySelector('.credit b')?.textContent?.trim().replace('−', '-')))
        .reduce((total, value) => total + value, 0),
    );
  await eventually(async () => Math.abs(await sum())).toBeLessThan(0.03);
  expect(errors).toEqual([]);
  await close();
});

describe('page with a paused run', () => {
  let still: OpenPage;
  beforeAll(async () => {
    still = await openPage(SMALL);
    await openTab(still.page, 'This group');
    await untilStep(still.page, 2);
    await pause(still.page);
  });

  test('the transcript of a rollout shades tokens by their advantage and hatches environment tokens', async () => {
    const { page } = still;
    // Step until the group is not tied, so that tokens have advantages.
    const findRollout = async () =>
      (await readGroup(page)).group.rollouts.findIndex(({ turns }) => turns[0]?.advantage !== 0);
    for (let index = await findRollout(); index === -1; index = await findRollout()) {
      const { step } = await readRun(page, 'step');
      await page.getByRole('button', { name: 'Step', exact: true }).click();
      await untilStep(page, step + 1);
      await untilStatus(page, 'paused');
    }
    const { group } = await readGroup(page);
    // An opened rollout pins its group, so the test waits for the group before the click.
    await page.locator('tw-group').scrollIntoViewIfNeeded();
    await page
      .locator('tw-group')
      .getByText(`update ${group.step + 1}`, { exact: true })
      .waitFor();
    const index = await findRollout();
    const rollout = group.rollouts[index];
    await page.getByRole('button', { name: `Show the transcript of rollout ${index + 1}` }).click();
    await page.getByRole('heading', { name: `Transcript of rollout ${index + 1}` }).waitFor();
    // The badges show the range of the credit of turn 1 under the rule and under outcome-only credit.
    const firsts = (field: 'advantage' | 'outcomeOnlyAdvantage') =>
      group.rollouts.map(({ turns }) => turns[0]?.[field] ?? Number.NaN);
    const wide = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
    const signal = (width: number) => (width >= 0.005 ? `signal (range ${width.toFixed(2)})` : 'no signal');
    await eventually(() => page.locator('tw-group-badges li').allInnerTexts()).toEqual([
      expect.stringMatching(/^Credit per turn(, here equal in all turns)?$/),
      `Turn 1 ${signal(wide(firsts('advantage')))}`,
      `Turn 1 under outcome-only credit ${signal(wide(firsts('outcomeOnlyAdvantage')))}`,
    ]);
    const tokens = page.locator('tw-transcript .text .token');
    await eventually(() => tokens.allInnerTexts()).toEqual(rollout.tokens.map(({ text }) => text));
    const styles = () =>
      tokens.evaluateAll((all) =>
        all.map((token) => [token.classList.item(1), getComputedStyle(token).background.includes('gradient')]),
      );
    const expected = rollout.tokens.map(({ turn }) => {
      const advantage = rollout.turns[turn]?.advantage;
      if (advantage === undefined) return ['masked', true];
      return [advantage === 0 ? 'even' : advantage > 0 ? 'more' : 'less', false];
    });
    await eventually(styles).toEqual(expected);
    expect(expected?.map(([style]) => style)).toEqual(expect.arrayContaining([expect.stringMatching(/more|less/)]));
  });

  test('a new sample is shown and not trained on', async () => {
    const { page } = still;
    const { step, group } = await readRun(page, 'step', 'group');
    await page.getByRole('button', { name: 'Sample a new group' }).click();
    await page.getByText('not trained on').waitFor();
    const sampled = await readRun(page);
    expect(sampled.step).toBe(step);
    expect(sampled.group?.sampleOnly).toBe(true);
    expect(sampled.group?.rollouts).not.toEqual(group?.rollouts);
  });

  test('Step makes one update, Play continues the run, and Reset restarts it in the same state', async () => {
    const { page } = still;
    const initial = await readRun(page);
    const step = page.getByRole('button', { name: 'Step', exact: true });
    for (let more = 1; more <= 2; more++) {
      await step.click();
      await untilStep(page, initial.step + more);
      await untilStatus(page, 'paused');
      // A run that continues in spite of its status has more steps.
      await eventually(async () => (await readRun(page, 'step')).step).toBe(initial.step + more);
    }
    await page.getByRole('button', { name: 'Play' }).click();
    await untilStep(page, initial.step + 4);
    const { metrics } = await pause(page);
    expect(metrics.map((row) => row.step)).toEqual(metrics.map((_, index) => index));
    // The reset of a paused run is paused, and the reset of a playing run plays.
    await (await openSettings(page)).getByRole('button', { name: 'Reset' }).click();
    await page.getByText('Paused · update 0').waitFor();
    await eventually(async () => (await readRun(page, 'metrics')).metrics).toEqual([]);
    await step.click();
    await untilStep(page, 1);
    await eventually(async () => curveOf((await readRun(page, 'metrics')).metrics)).toEqual(
      curveOf(metrics.slice(0, 1)),
    );
    await waitUntilSaved(page, initial.step + 2);
    await page.getByRole('button', { name: 'Play' }).click();
    await untilStatus(page, 'playing');
    const runId = () => page.evaluate(() => (document.querySelector('tw-app') as App).run.session.id);
    const before = await runId();
    await (await openSettings(page)).getByRole('button', { name: 'Reset' }).click();
    await eventually(runId).not.toBe(before);
    await untilStep(page, 2);
    const repeated = await pause(page);
    expect(curveOf(repeated.metrics.slice(0, 2))).toEqual(curveOf(metrics.slice(0, 2)));
  });
});
