import { expect, test } from 'vitest';
import { eventually, openSettings, openTab, pause, readGroup, readRun, SMALL, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

test('a link restores rule, parameters, reward weights, seed and schedule', async () => {
  const query =
    '?v=1&rule=grpo-mr&seed=42&alpha=0.5&rewardSkip=-0.5&questions=1&groupSize=4&minibatches=1&panels=controls';
  const { page, errors, close } = await openPage(`${query}&at=2:rule=mt-grpo,klCoef=0.05;4:rule=grpo-or`);
  await untilStep(page, 5);
  const run = await pause(page);
  expect(run.metrics.slice(0, 5).map(({ rule }) => rule)).toEqual([
    ...['grpo-mr', 'grpo-mr', 'mt-grpo', 'mt-grpo', 'grpo-or'],
  ]);
  expect(run.controls).toMatchObject({ rule: 'grpo-or', alpha: 0.5, rewardSkip: -0.5, klCoef: 0.05, groupSize: 4 });
  expect(run.configuration.seed).toBe(42);
  expect(run.events.map(({ step, kind }) => [step, kind])).toEqual([
    [2, 'schedule'],
    [4, 'schedule'],
  ]);
  await eventually(async () => (await openSettings(page)).getByRole('spinbutton', { name: 'Seed' }).inputValue()).toBe(
    '42',
  );
  await eventually(() => page.getByRole('slider', { name: 'Tool skipped' }).getAttribute('aria-valuetext')).toBe(
    '-0.5',
  );
  // The changes of a schedule are already part of the link, so the link does not change.
  await page.waitForURL((url) => url.searchParams.get('at') === '2:rule=mt-grpo,klCoef=0.05;4:rule=grpo-or');
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ rule: 'grpo-mr', seed: '42' });
  expect(run.notices).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

const BROKEN = [
  ['of an unknown version', '?v=99&rule=grpo-or&questions=1&mood=good', [/version “99”.*version 1/]],
  [
    'with invalid values',
    `${SMALL}&learningRate=fast&alpha=-3&rewardSkip=1e9&rule=ppo&at=soon:rule=grpo-or;3:mood=good`,
    [
      /^learningRate: “fast” is not a number from/,
      /^alpha: “-3”/,
      /^rewardSkip: “1e9”.*2 is used/,
      /^rule: “ppo” is not one of .*mt-grpo is used/,
      /^at: “soon:rule=grpo-or”/,
      /^at 3: “mood”/,
    ],
  ],
  [
    'with foreign keys, bad encoding and markup',
    `${SMALL}&utm_source=mail&__proto__=x&%E0%A4%A=1&<img src=x onerror=alert(1)>=1&seed=1&seed=2`,
    [/^“utm_source”/, /^“__proto__”/, /�|%/, /^“<img src”/, /^“seed” is given twice/],
  ],
  [
    'of excessive length',
    `${SMALL}&seed=${'9'.repeat(3000)}&${'x'.repeat(5000)}=1&${Array.from({ length: 500 }, (_, n) => `k${n}=1`).join('&')}`,
    [/^seed: “9{40}…”/, /^“x{40}”/, ...Array.from({ length: 5 }, (_, n) => new RegExp(`^“k${n}”`)), /^495 more parts/],
  ],
] as const;

test.each(BROKEN)('for a link %s, the page lists each invalid key and trains', async (_description, query, notices) => {
  const { page, errors, close } = await openPage(query);
  const items = page.getByRole('status', { name: 'Notices' }).getByRole('listitem');
  await eventually(() => items.allInnerTexts()).toEqual(notices.map((notice) => expect.stringMatching(notice)));
  await eventually(async () => (await items.allInnerTexts()).filter((text) => text.length >= 300)).toEqual([]);
  await untilStep(page, 1);
  await eventually(async () => (await readRun(page, 'controls')).controls).toMatchObject({ rule: 'mt-grpo' });
  // The page corrects the address, so that a reload shows no notices.
  await page.waitForURL(
    (url) => /^\?v=1&(world=shortcut&)?rule=mt-grpo&seed=/.test(url.search) && url.search.length < 200,
  );
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await eventually(() => items.count()).toBe(0);
  expect(errors).toEqual([]);
  await close();
});

test('an embedded page shows only the panels of its link, trains, and links to the full page', async () => {
  const { page, close } = await openPage(`${SMALL}&embed=1&panels=chart,group`);
  await untilStep(page, 2);
  const parts = ['tw-rule-switch', 'tw-curves', 'tw-group', 'tw-controls', 'tw-event-log', 'tw-run-list', 'footer'];
  const count = (part: string) => page.locator(part).count();
  await eventually(() => Promise.all(parts.map(count))).toEqual([1, 1, 1, 0, 0, 0, 0]);
  await eventually(() => page.locator('tw-line-chart').count()).toBe(1);
  // The embedded page links to the full page.
  const fullPage = page.getByRole('link', { name: 'Open the full page' });
  await eventually(() => fullPage.getAttribute('href')).toBe(
    '?v=1&rule=mt-grpo&seed=1&engine=wgsl&groupSize=4&questions=1&minibatches=1',
  );
  await eventually(() => new URL(page.url()).searchParams.get('panels')).toBe('chart,group');
  expect(new URL(page.url()).searchParams.get('embed')).toBe('1');
  await close();
});

test('selected panels are part of the link', async () => {
  const { page, close } = await openPage(SMALL);
  await untilStep(page, 1);
  // The content above the tabs grows while the run plays, so a click can miss its target.
  await pause(page);
  await readGroup(page);
  await openTab(page, 'Saved runs');
  await page.getByLabel('small charts').uncheck();
  await page.waitForURL(/panels=chart,controls,group,rule,log,runs/);
  await eventually(() => page.locator('tw-line-chart').count()).toBe(1);
  await page.getByLabel('small charts').check();
  // With all panels, the page shows its default screen with tabs.
  await page.waitForURL((url) => !url.searchParams.has('panels'));
  await page.getByRole('tab', { name: 'Saved runs', selected: true }).waitFor();
  await openTab(page, 'All charts');
  await eventually(() => page.getByRole('tabpanel').locator('tw-line-chart').count()).toBe(13);
  await close();
});
