import { expect, test } from 'vitest';
import { eventually, pause, readRun, SMALL, stepToGroup, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('hovering over a rule previews its credit for the group, and selecting the rule ends the preview', async () => {
  const { page, errors, close } = await openPage(SMALL);
  await untilStep(page, 1);
  await pause(page);
  const { group } = await stepToGroup(
    page,
    ({ forest }) => new Set(forest.turns.map(({ outcome }) => outcome)).size > 2,
  );
  const picture = page.locator('tw-picture');
  const [lanes, bars] = [picture.locator('.lane'), picture.locator('.bar')];
  await picture.getByText(`update ${group.step + 1}`, { exact: true }).waitFor();
  const count = group.rollouts.length;
  await eventually(() => lanes.count()).toBe(count);
  // MT-GRPO assigns separate credit to each turn, GRPO-OR assigns one number to all turns of a rollout.
  await eventually(() => bars.count()).toBe(2 * count);
  const rule = page.locator('tw-rule-switch label', { hasText: 'GRPO-OR' });
  await rule.hover();
  await picture.getByText('Preview: GRPO-OR').waitFor();
  await eventually(() => bars.count()).toBe(count);
  await rule.click();
  await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('grpo-or');
  await eventually(() => picture.getByText('Preview: GRPO-OR').count()).toBe(0);
  await eventually(() => bars.count()).toBe(count);
  await eventually(() => picture.getByText(`update ${group.step + 1}`, { exact: true }).count()).toBe(1);
  expect(errors).toEqual([]);
  await close();
});
