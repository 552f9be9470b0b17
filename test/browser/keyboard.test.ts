import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type App, eventually, openSettings, openTab, readRun, SMALL, send, untilStatus, untilStep } from './app.ts';
import { openPage } from './chromium.ts';

interface Stop {
  readonly name: string;
  /** True if the element, or the label that represents it, has a visible focus ring. */
  readonly ring: boolean;
  /** True if no other part of the page covers the element. */
  readonly uncovered: boolean;
}

/** Returns the name, focus ring and visibility of the focused element. */
function stop(page: Page): Promise<Stop | undefined> {
  return page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    if (!active || active === document.body) return undefined;
    const labels = (active as HTMLInputElement).labels;
    const label = active.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? active.textContent ?? '';
    const ringed = (element: Element | null | undefined) => {
      if (!element) return false;
      const { outlineStyle, outlineWidth, opacity } = getComputedStyle(element);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && opacity !== '0';
    };
    const ring = ringed(active) || ringed(active.nextElementSibling) || ringed(active.closest('label'));
    const { x, y, width, height } = active.getBoundingClientRect();
    let top = document.elementFromPoint(x + width / 2, y + Math.min(height / 2, 12));
    while (top?.shadowRoot) {
      const inner = top.shadowRoot.elementFromPoint(x + width / 2, y + Math.min(height / 2, 12));
      if (!inner || inner === top) break;
      top = inner;
    }
    const elements = [active, active.nextElementSibling, active.closest('label')];
    const uncovered = elements.some((element) => element?.contains(top) || top?.contains(element ?? null));
    return { name: label.replace(/\s+/g, ' ').trim(), ring, uncovered };
  });
}

/** Returns the focused element when its ring is visible; after 60 frames, returns it without a visible ring. */
async function drawnStop(page: Page): Promise<Stop | undefined> {
  let now = await stop(page);
  for (let frames = 0; frames < 60 && now && !(now.ring && now.uncovered); frames++) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    now = await stop(page);
  }
  return now;
}

test('Tab reaches all controls in order, each with a visible focus ring and not covered', async () => {
  const { page, close } = await openPage(SMALL);
  await openTab(page, 'This group');
  await untilStep(page, 2);
  // The run is paused by a command, because a click moves the focus.
  await send(page, { type: 'pause' });
  await untilStatus(page, 'paused');
  const stops: Stop[] = [];
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab');
    const now = await drawnStop(page);
    if (!now) break;
    stops.push(now);
  }
  const names = stops.map(({ name }) => name);
  const expected = [
    ...['Playground', 'Lessons', 'Lab', 'Challenge', 'Inspector', 'Skip to the curves'],
    ...['Play', 'Step', 'MT-GRPO', 'More credit rules', 'Share', 'Settings'],
    ...['Attempt', 'Tool use and accuracy', 'This group'],
    ...[
      'Pin this group',
      'Sample a new group',
      'Show the transcript of rollout 1',
      'Show the transcript of rollout 4',
      'Token by token',
    ],
  ];
  const positions = expected.map((name) =>
    names.includes(name) ? names.indexOf(name) : names.findIndex((candidate) => candidate.startsWith(name)),
  );
  expect(positions, `${expected} in ${names}`).toEqual([...positions].sort((a, b) => a - b));
  expect(positions).not.toContain(-1);
  expect(names.filter((name) => name === '')).toEqual([]);
  expect(stops.filter(({ ring }) => !ring)).toEqual([]);
  expect(stops.filter(({ uncovered }) => !uncovered)).toEqual([]);
  await close();
});

test('the keyboard pauses and steps the run, opens a transcript and skips to the curves', async () => {
  const { page, close } = await openPage(SMALL);
  await openTab(page, 'This group');
  await untilStep(page, 2);
  const focused = async (name: string) => {
    for (let presses = 0; presses < 150 && !(await stop(page))?.name.startsWith(name); presses++) {
      await page.keyboard.press('Tab');
    }
  };
  await focused('Pause');
  await page.keyboard.press('Enter');
  await page.getByText(/^Paused · update \d+$/).waitFor();
  // The button changes to Play and keeps the focus.
  await eventually(async () => (await stop(page))?.name).toBe('Play');
  const { step } = await readRun(page, 'step');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await untilStep(page, step + 1);
  await focused('Show the transcript of rollout 3');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Transcript of rollout 3' }).waitFor();
  await page.reload();
  // The skip link is after the navigation.
  await focused('Skip to the curves');
  await page.keyboard.press('Enter');
  await eventually(() =>
    page.evaluate(() => document.querySelector('tw-app')?.shadowRoot?.activeElement?.localName),
  ).toBe('tw-curves');
  await close();
});

test('Space, ArrowRight and digits control the run unless the user disables them', async () => {
  const { page, close } = await openPage(SMALL);
  await untilStep(page, 1);
  await page.keyboard.press('Space');
  await untilStatus(page, 'paused');
  const { step } = await readRun(page, 'step');
  await page.keyboard.press('ArrowRight');
  await untilStep(page, step + 1);
  await untilStatus(page, 'paused');
  await page.keyboard.press('2');
  await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('grpo-or');
  await eventually(() => page.getByRole('radio', { name: 'GRPO-OR' }).isChecked()).toBe(true);
  const keys = (await openSettings(page)).getByRole('checkbox', { name: 'Keys' });
  await keys.uncheck();
  await page.keyboard.press('1');
  await keys.check();
  await page.keyboard.press('3');
  await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('grpo-mr');
  const rules = async () => (await readRun(page, 'events')).events.map(({ changes }) => changes.rule);
  await eventually(rules).toEqual(['grpo-or', 'grpo-mr']);
  await close();
});

test('the speed of a run is applied and saved, and the page shows the speed of a slower device', async () => {
  const { page, close } = await openPage(SMALL, { isDelayed: true });
  await untilStep(page, 2);
  const choice = page.getByRole('combobox', { name: /^Speed/ });
  await openSettings(page);
  await eventually(() => choice.inputValue()).toBe('5');
  await choice.selectOption('1 update/s');
  const pace = () => page.evaluate(() => (document.querySelector('tw-app') as App).run.session.pace);
  await eventually(pace).toBe(1);
  await page.reload();
  await eventually(pace).toBe(1);
  await openSettings(page);
  await eventually(() => choice.inputValue()).toBe('1');
  await choice.selectOption('unlimited');
  await page.goto(page.url().replace(/\?.*/, ''));
  await openSettings(page);
  await choice.selectOption('20 updates/s');
  await page.getByText(/this device: [\d.]+ updates\/s/).waitFor();
  await close();
});
