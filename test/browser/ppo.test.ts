import { beforeAll, describe, expect, test } from 'vitest';
import { ruleFamilies } from '../../src/app/address/pageTables.ts';
import { eventually, pause, readRun, STACKED, untilStatus, untilStep } from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';

let open: OpenPage;
beforeAll(async () => {
  open = await openPage(`${STACKED}&criticUpdates=1`);
  await untilStep(open.page, 2);
  await pause(open.page);
});

/** Makes one update with the button Step. */
async function step(): Promise<void> {
  const { page } = open;
  const before = (await readRun(page, 'step')).step;
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, before + 1);
  await untilStatus(page, 'paused');
}

describe('switching to MT-PPO', () => {
  test('the rule menu selects MT-PPO by keyboard and adds it to the rule switch', async () => {
    const { page } = open;
    const rules = page.getByRole('group', { name: 'Credit rule' });
    await eventually(() => rules.getByRole('radio', { name: 'MT-GRPO' }).isChecked()).toBe(true);
    await eventually(() => rules.getByRole('radio', { name: 'GRPO-OR' }).isVisible()).toBe(true);
    await eventually(() => rules.getByRole('radio', { name: 'MT-PPO' }).count()).toBe(0);

    const menu = page.getByRole('button', { name: 'More credit rules' });
    await menu.focus();
    await page.keyboard.press('Enter');
    const group = page.getByRole('group', { name: 'PPO – a token is compared with the prediction of a critic' });
    await group.waitFor();
    // The active rule has the focus; nothing changes while the focus passes other rules.
    await eventually(() =>
      page.getByRole('menuitemradio', { name: /^MT-GRPO Each turn/ }).evaluate((element) => element.matches(':focus')),
    ).toBe(true);
    const names = ruleFamilies('search').flatMap(([, rules]) => rules.map(({ name }) => name));
    const away = names.indexOf('mt-ppo') - names.indexOf('mt-grpo');
    for (let presses = 0; presses < away; presses++) await page.keyboard.press('ArrowDown');
    await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('mt-grpo');
    await page.keyboard.press('Enter');
    await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('mt-ppo');
    await eventually(() => group.isVisible()).toBe(false);
    await eventually(() => menu.evaluate((element) => element.matches(':focus'))).toBe(true);
    // The rule switch now also has the selected rule.
    await eventually(() => rules.getByRole('radio', { name: 'MT-PPO' }).isChecked()).toBe(true);
    await eventually(async () => (await readRun(page, 'events')).events.at(-1)).toMatchObject({
      changes: { rule: 'mt-ppo' },
    });
  });

  test('under MT-PPO, the critic trains before the policy, and its chart and controls appear', async () => {
    const { page } = open;
    await step();
    await step();
    const [before, criticOnly, both] = (await readRun(page, 'metrics')).metrics.slice(-3);
    expect(before).toMatchObject({ rule: 'mt-grpo', valueLoss: null, explainedVariance: null });
    expect(criticOnly).toMatchObject({ rule: 'mt-ppo', loss: null, gradientNorm: null });
    expect(criticOnly?.valueLoss).toBeGreaterThan(0);
    expect(both?.gradientNorm).toBeGreaterThan(0);
    await page.locator('tw-line-chart').getByRole('heading', { name: 'Critic' }).waitFor();
    await page.getByRole('slider', { name: 'Critic learning rate' }).waitFor();
    await eventually(() => page.getByRole('slider', { name: 'Trace (GAE)' }).getAttribute('aria-valuetext')).toBe(
      '0.95',
    );

    await page.getByRole('radio', { name: 'GRPO-OR' }).check({ force: true });
    await eventually(() => page.getByRole('slider', { name: 'Critic learning rate' }).count()).toBe(0);
    // The chart of the critic remains after the rule changes.
    await eventually(() => page.locator('tw-line-chart').getByRole('heading', { name: 'Critic' }).count()).toBe(1);
    await page.getByRole('radio', { name: 'MT-PPO' }).check({ force: true });
    await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('mt-ppo');
  });

  test('under MT-PPO, tokens are shaded by their advantages, and the table shows the mean of each turn', async () => {
    const { page } = open;
    await step();
    const { group } = await readRun(page, 'group');
    expect(group?.rule).toBe('mt-ppo');
    const [rollout] = group?.rollouts ?? [];
    const advantages =
      rollout?.tokens.filter(({ turn }) => turn === 0).map(({ advantage }) => advantage ?? Number.NaN) ?? [];
    expect(new Set(advantages).size).toBeGreaterThan(1);
    const mean = advantages.reduce((sum, value) => sum + value, 0) / advantages.length;
    expect(rollout?.turns[0]?.advantage).toBeCloseTo(mean, 5);
    // An opened rollout pins its group, so the test waits for the group before the click.
    await page.locator('tw-group').scrollIntoViewIfNeeded();
    await page
      .locator('tw-group')
      .getByText(`update ${(group?.step ?? 0) + 1}`, { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Show the transcript of rollout 1' }).click();
    const tokens = page.locator('tw-transcript .text .token:not(.masked)');
    const written = rollout?.tokens.flatMap(({ advantage }) => advantage ?? []) ?? [];
    await eventually(() => tokens.evaluateAll((all) => all.map((token) => token.classList.item(1)))).toEqual(
      written.map((advantage) => (advantage > 0 ? 'more' : 'less')),
    );
    const displayed = page.locator('tw-group-table tbody tr').first().locator('.credit b').first();
    await eventually(async () => Number((await displayed.innerText()).replace('−', '-'))).toBeCloseTo(mean, 2);
    await page.getByText(/A critic, not the group, gives the baseline of each token\.$/).waitFor();
    expect(open.errors).toEqual([]);
  });

  test('at 320 px, the rule switch and its menu are inside the window', async () => {
    const { page } = open;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('button', { name: 'More credit rules' }).click();
    for (const part of [page.locator('tw-rule-switch'), page.locator('tw-rule-menu .menu')]) {
      await eventually(async () => {
        const { x, y, width, height } = (await part.boundingBox()) ?? { x: -1, y: 0, width: 0, height: 0 };
        return x >= 0 && x + width <= 320 && y + height <= 640 ? 'inside' : { x, y, width, height };
      }).toBe('inside');
    }
    await page.keyboard.press('Escape');
    await eventually(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('mt-ppo');
  });
});
