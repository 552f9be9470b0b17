import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { STATE_MS } from '../limits.ts';
import {
  curveOf,
  eventually,
  lanesAt,
  openTab,
  pause,
  readLanes,
  readRun,
  readWhen,
  scrollToChart,
  untilStep,
} from './app.ts';
import { openPage } from './chromium.ts';

/** Query with which the page opens. */
const VISIT = '?v=1&world=shortcut&rule=mt-grpo&seed=1';

const press = (page: Page, rule: string) => page.getByRole('radio', { name: rule, exact: true }).check({ force: true });

/** Waits until the page reports an event. */
const findEvents = (page: Page, pattern: RegExp) =>
  page
    .locator('tw-event-log')
    .getByText(pattern)
    .first()
    .waitFor({ timeout: 2 * STATE_MS });

const toolUse = async (page: Page) => (await readRun(page, 'metrics')).metrics.at(-1)?.toolUse ?? Number.NaN;

test('tool use grows, is lost under GRPO-OR and recovers under MT-GRPO, and the link reproduces the run', async () => {
  const { page, errors, close } = await openPage(VISIT, { real: true });
  await untilStep(page, 6);
  await eventually(() => toolUse(page)).toBeGreaterThan(0.7);
  await press(page, 'GRPO-OR');
  await openTab(page, 'All charts');
  const why = page.locator('tw-why');
  await why.getByText('Why is tool use changing?').click();
  // Turns that skip the tool have a positive advantage, and turns that search have a negative advantage.
  const sentence =
    /^Updates \d+ to \d+ under GRPO-OR: executed searches had a mean advantage of −\d\.\d\d.* skipped searches \+\d/;
  await why.getByText(sentence).waitFor();
  await openTab(page, 'Event log');
  await findEvents(page, /^Collapse: tool use fell from (0\.\d\d|1\.00) to 0\.(0\d|10)\.$/);
  const collapse = page.locator('tw-event-log').getByRole('row', { name: /Collapse: tool use fell/ });
  await collapse.getByRole('button', { name: 'Meaning: Collapse and recovery' }).click();
  await collapse.getByText(/^Collapse: the share of rollouts that use the tool/).waitFor();
  await collapse.getByRole('group', { name: 'Active rule: GRPO-OR' }).waitFor();
  await page.keyboard.press('Escape');
  // The rule is changed immediately, because after many updates without a search no turns can be compared.
  await press(page, 'MT-GRPO');
  await findEvents(page, /^Recovery: tool use is back at 0\.\d\d, from 0\.\d\d\.$/);
  const { events, metrics } = await pause(page);
  const switches = events.map(({ step, changes }) => `${step}:rule=${changes.rule}`);
  expect(switches).toHaveLength(2);
  await page.waitForURL((url) => url.searchParams.get('at') === switches.join(';'));
  // Held-out answers were measured during the run.
  const fresh = metrics.flatMap(({ heldOut }) => heldOut?.answer ?? []);
  expect(fresh.length).toBeGreaterThan(5);

  // The link reproduces the run beyond the first change of the rule.
  const targetStep = (events[0]?.step ?? 0) + 3;
  const again = await openPage(page.url(), { real: true });
  await untilStep(again.page, targetStep);
  const repeated = await pause(again.page);
  expect(curveOf(repeated.metrics.slice(0, targetStep))).toEqual(curveOf(metrics.slice(0, targetStep)));
  await again.close();

  // A fork under GRPO-OR appears in the same chart.
  await openTab(page, 'Compare runs');
  await page.getByRole('button', { name: 'Fork here' }).click();
  const lines = async () => (await scrollToChart(page)).locator('.legend li').count();
  await eventually(lines).toBe(2);
  const [first, fork] = await readLanes(page);
  expect(fork.rule).toBe('grpo-or');
  expect(curveOf(fork.metrics)).toEqual(curveOf(first.metrics));

  // Three runs under different rules start together, and the link reproduces them.
  await page.getByRole('button', { name: 'Train 3 rules' }).click();
  await eventually(lines).toBe(3);
  await lanesAt(page, 2);
  await page.waitForURL((url) => url.searchParams.get('runs') === 'rule=grpo-or|rule=grpo-mr');
  await pause(page);
  const compared = await readLanes(page);
  const elsewhere = await openPage(page.url(), { real: true });
  await lanesAt(elsewhere.page, 2);
  const same = await readLanes(elsewhere.page);
  expect(same.map(({ rule }) => rule)).toEqual(compared.map(({ rule }) => rule));
  expect(same.map((run) => curveOf(run.metrics.slice(0, 2)))).toEqual(
    compared.map((run) => curveOf(run.metrics.slice(0, 2))),
  );
  expect(elsewhere.errors).toEqual([]);
  await elsewhere.close();
  expect(errors).toEqual([]);
  await close();
});

test('a new user completes five tasks with at most one click each', async () => {
  const { page, errors, close } = await openPage('', { real: true });
  let presses = 0;
  const click = async (target: Locator) => {
    presses += 1;
    await target.click();
  };
  const counts: Record<string, number> = {};
  const task = async (name: string, work: () => Promise<void>) => {
    presses = 0;
    await work();
    counts[name] = presses;
  };
  const picture = page.locator('tw-picture');
  const sentence = page.locator('tw-sentence p').first();
  const isInWindow = async (target: Locator) => {
    const box = await readWhen(
      () => target.boundingBox(),
      (bounds) => bounds !== null,
    );
    return box !== null && box.y >= 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0);
  };

  await task('what does the agent do', async () => {
    await page.getByText('A tiny agent answers questions. It may search first.').waitFor();
    await eventually(() => picture.locator('.lane').count()).toBe(8);
    await eventually(() => isInWindow(picture.locator('.lane').last())).toBe(true);
    await eventually(() => picture.locator('.lane').first().innerText()).toMatch(/search/);
  });
  await task('which rule is on', async () => {
    await eventually(() => page.getByRole('radio', { name: 'MT-GRPO', exact: true }).isChecked()).toBe(true);
    await eventually(() => isInWindow(page.locator('tw-rule-switch'))).toBe(true);
  });
  await task('what did the group earn', async () => {
    await untilStep(page, 1);
    await click(picture.locator('.lane').first());
    const row = page.locator('tw-group-table tbody tr').first();
    await row.waitFor();
    // Turn reward, outcome reward and both advantages.
    await eventually(() => row.innerText()).toMatch(/executed 0\.2|skipped −0\.2/);
    await eventually(() => row.innerText()).toMatch(/[+−]\d\.\d\d/);
  });
  await page.getByRole('checkbox', { name: 'Pin this group' }).uncheck();
  await task('make the tool die', async () => {
    await untilStep(page, 28);
    await eventually(() => sentence.innerText()).toMatch(/Now press GRPO-OR\.$/);
    await click(page.locator('tw-rule-switch label.suggested'));
    await eventually(() => sentence.innerText()).toMatch(/^GRPO-OR since update \d+: a search earns nothing by itself/);
    await eventually(() => sentence.innerText()).toMatch(/^Tool use dropped to \d%: .* Press MT-GRPO\.$/);
  });
  await task('save the tool', async () => {
    await click(page.locator('tw-rule-switch label', { hasText: 'MT-GRPO' }));
    await eventually(() => sentence.innerText()).toMatch(/^Searching: \d\d%/);
  });
  expect(counts).toEqual({
    'what does the agent do': 0,
    'which rule is on': 0,
    'what did the group earn': 1,
    'make the tool die': 1,
    'save the tool': 1,
  });
  expect(errors).toEqual([]);
  await close();
});
