import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { RULES } from '../../src/credit/rules.ts';
import {
  type App,
  eventually,
  openSettings,
  pause,
  readRun,
  SMALL,
  STACKED,
  untilStatus,
  untilStep,
  waitUntilSaved,
} from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';
import { landmarks } from './findings.ts';

/** Returns true if an element is completely inside the window. */
function isVisible(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { top, bottom, height } = element.getBoundingClientRect();
    return height > 0 && top >= 0 && bottom <= innerHeight + 1;
  });
}

/** Waits until the large chart has no points and shows a text. */
async function noPoint(page: Page, text: string): Promise<void> {
  await eventually(() => page.locator('tw-line-chart[large] .empty').allInnerTexts()).toEqual([text]);
}

/** Returns the name of the focused element, and the custom elements around it from the inside out. */
function focused(page: Page): Promise<{ readonly name: string; readonly around: string[] }> {
  return page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const around: string[] = [];
    for (let host = active?.getRootNode(); host instanceof ShadowRoot; host = host.host.getRootNode()) {
      around.push(host.host.localName);
    }
    return { name: active?.getAttribute('aria-label') ?? active?.textContent?.trim() ?? '', around };
  });
}

describe('page with a paused run', () => {
  let still: OpenPage;
  beforeAll(async () => {
    still = await openPage(STACKED);
    await still.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await untilStep(still.page, 2);
    const { step } = await pause(still.page);
    await waitUntilSaved(still.page, step);
  });

  test.each([
    [1280, 800],
    [360, 640],
  ])('at %i px, the message of a button appears next to the button and is visible', async (width, height) => {
    const { page } = still;
    await page.setViewportSize({ width, height });
    await page.getByRole('button', { name: 'Copy link' }).click();
    const shared = page.locator('tw-share').getByRole('status').filter({ hasText: 'Link copied.' });
    await shared.waitFor();
    await eventually(() => isVisible(page, 'tw-share tw-answer p')).toBe(true);
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).searchParams.get('groupSize')).toBe('4');

    await page.getByRole('button', { name: 'Curves (CSV)' }).click();
    await page.locator('tw-share').getByRole('status').filter({ hasText: 'Saved as turnwise-curves.csv' }).waitFor();
    // A panel shows one message, so the previous message was removed.
    await eventually(() => page.locator('tw-share tw-answer p').count()).toBe(1);

    const runs = page.locator('tw-run-list');
    await page
      .getByLabel('Import run')
      .setInputFiles({ name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{"step":') });
    await runs.getByRole('alert').filter({ hasText: 'broken.json was not opened' }).waitFor();
    await eventually(() => isVisible(page, 'tw-run-list tw-answer p')).toBe(true);
    // Messages of other panels remain, and the notices at the top of the page do not repeat them.
    await eventually(() => page.locator('tw-share tw-answer p').count()).toBe(1);
    await eventually(async () => (await readRun(page, 'notices')).notices.join()).not.toMatch(
      /link is in|curves|broken/,
    );
  });

  test('messages about opening and deleting a run appear at the buttons, and success replaces an error', async () => {
    const { page } = still;
    await page.setViewportSize({ width: 1280, height: 800 });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export run' }).click(),
    ]);
    await page.locator('tw-share').getByText(`Saved as ${file.suggestedFilename()}.`).waitFor();
    const buffer = await readFile(await file.path());
    const runs = page.locator('tw-run-list');
    const choose = page.getByLabel('Import run');
    await choose.setInputFiles({ name: 'mine.json', mimeType: 'application/json', buffer });
    await runs.getByRole('status').filter({ hasText: 'mine.json was opened.' }).waitFor();
    await eventually(() => runs.getByRole('alert').allInnerTexts()).toEqual(['']);
    await untilStatus(page, 'paused');
    await eventually(() => runs.getByRole('button', { name: /^Delete / }).count()).toBe(2);

    const last = runs.getByRole('button', { name: /^Delete / }).last();
    await last.click();
    await last.click();
    await runs.getByRole('status').filter({ hasText: 'was deleted.' }).waitFor();
    await eventually(() => isVisible(page, 'tw-run-list tw-answer p')).toBe(true);
    // The pressed button was removed, and the focus moved to another button.
    await eventually(async () => (await focused(page)).name).toMatch(/^Delete /);
  });

  test('the copied embed code shows the page in a frame with a link to the full page', async () => {
    const { page, context } = still;
    const before = page.url();
    await page.getByText('Embed').click();
    await page.getByRole('button', { name: 'Copy embed code' }).click();
    await page.getByText('Embed code copied. Paste it').waitFor();
    const code = await page.evaluate(() => navigator.clipboard.readText());
    expect(code).toMatch(/^<iframe src="http[^"]*&amp;embed=1&amp;panels=chart,curves,controls,group,rule,log,runs"/);
    await page.getByRole('button', { name: 'Copy link' }).waitFor();
    expect(page.url()).toBe(before);

    const frame = await openPage('/blank.html', { context });
    await frame.page.setContent(code);
    const inside = frame.page.frameLocator('iframe');
    const full = inside.getByRole('link', { name: 'Open the full page' });
    await full.waitFor();
    await eventually(() => inside.locator('tw-share').count()).toBe(0);
    const [fullPage] = await Promise.all([context.waitForEvent('page'), full.click()]);
    await fullPage.getByRole('button', { name: 'Share', exact: true }).waitFor();
    expect(new URL(fullPage.url()).searchParams.has('embed')).toBe(false);
    expect(new URL(fullPage.url()).searchParams.get('groupSize')).toBe('4');
    await fullPage.close();
    await frame.close();
  });

  test('the list of panels moves the focus to each panel by keyboard', async () => {
    const { page } = still;
    const targets = [
      ['Curves', 'tw-curves'],
      ['Controls', 'tw-controls'],
      ['Group of rollouts', 'tw-group'],
      ['Your rule', 'tw-own-rule'],
      ['Event log', 'tw-event-log'],
      ['Saved runs', 'tw-run-list'],
      ['Share and export', 'tw-share'],
      ['Glossary and credit rules', 'tw-words'],
    ] as const;
    const open = page.getByRole('button', { name: 'Panels' });
    // The page draws the charts of restored panels sequentially.
    await page
      .getByRole('button', { name: /^Table: / })
      .first()
      .waitFor();
    for (const [index, [name, element]] of targets.entries()) {
      await open.focus();
      await page.keyboard.press('Enter');
      await eventually(async () => (await focused(page)).name).toBe('Curves');
      for (let presses = 0; presses < index; presses++) await page.keyboard.press('ArrowDown');
      await eventually(async () => (await focused(page)).name).toBe(name);
      await page.keyboard.press('Enter');
      await eventually(async () => (await focused(page)).around).toContain(element);
      const top = () => page.locator(element).evaluate((node) => node.getBoundingClientRect().top);
      await eventually(top, `top of ${element}`).toBeLessThan(800);
      await page.keyboard.press('Tab');
      // An empty event log has no focusable element.
      const next = element === 'tw-event-log' ? 'tw-run-list' : element;
      await eventually(async () => (await focused(page)).around, `after Tab from ${name}`).toContain(next);
    }
    // Escape closes the list, and the focus remains at its button.
    await open.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Glossary and credit rules' }).waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => (await focused(page)).name).toBe('Panels');
  });

  test('on a phone, the list of panels opens from the bottom of the page, and the header remains small', async () => {
    const { page } = still;
    await page.setViewportSize({ width: 360, height: 640 });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const measureHeader = () =>
      page.locator('tw-page-header').evaluate((header) => Math.max(0, header.getBoundingClientRect().bottom));
    await eventually(measureHeader).toBeLessThan(95);
    await page.getByRole('button', { name: 'Panels' }).click();
    await page.getByRole('link', { name: 'Group of rollouts' }).click();
    const top = () => page.locator('tw-group').evaluate((node) => node.getBoundingClientRect().top);
    await eventually(top).toBeLessThan(320);
    await eventually(async () => (await top()) - (await measureHeader())).toBeGreaterThanOrEqual(0);
    // A window of 1280 by 950 px at 200 % zoom has this size.
    await page.setViewportSize({ width: 640, height: 475 });
    await page.evaluate(() => scrollTo(0, 1000));
    await eventually(measureHeader).toBeLessThan(95);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('every panel is a landmark with a unique name', async () => {
    const { page } = still;
    const regions = await landmarks(page);
    for (const name of ['Curves', 'Event log', 'Saved runs', 'Share and export']) {
      expect(regions).toContain(`region ${name}`);
    }
    expect(regions).toContain('complementary Controls');
    expect(regions).toContain('navigation On this page');
    expect(regions.length).toBe(new Set(regions).size);
  });

  test('terms are explained in the panels that use them and in the glossary', async () => {
    const { page } = still;
    // A run from a file has a group after its next update.
    const { step } = await readRun(page, 'step');
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await untilStep(page, step + 1);
    await eventually(async () => (await readRun(page, 'group')).group?.step).toBe(step);
    const { group } = await readRun(page, 'group');
    await page
      .getByText(group?.question ?? 'no question')
      .first()
      .waitFor();
    await page.locator('tw-group').getByText('The answer is a city').waitFor();
    const here = page.getByRole('button', { name: 'Terms of this panel: Group of rollouts' });
    await here.focus();
    await page.keyboard.press('Enter');
    await page.locator('tw-group').getByText('One complete attempt at a task').waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => (await focused(page)).name).toBe('Terms of this panel: Group of rollouts');
    await page.keyboard.press('Enter');
    await page.locator('tw-group').getByRole('button', { name: 'Glossary and credit rules' }).click();
    await eventually(async () => (await focused(page)).around).toContain('tw-words');
    const glossary = page.locator('tw-words');
    await glossary.getByText('Terms', { exact: true }).click();
    await glossary.getByText('Masked from the loss').waitFor();
    await glossary.getByText('Credit rules, with formulas and papers').click();
    const paper = glossary.getByRole('listitem').filter({ hasText: 'MT-GRPO – multi-turn GRPO' }).getByRole('link');
    await eventually(() => paper.getAttribute('href')).toBe('https://arxiv.org/abs/2505.11821');
  });

  test('a chart without points shows the next action', async () => {
    const { page } = still;
    await (await openSettings(page)).getByRole('button', { name: 'Reset' }).click();
    await noPoint(page, 'No update yet. Press Play.');
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await untilStep(page, 1);
    await eventually(() => page.locator('tw-line-chart .empty').count()).toBe(0);
  });

  test('the last panel cannot be deselected, and a message states this', async () => {
    const { page } = still;
    const names = ['main chart', 'small charts', 'controls', 'group', 'your rule', 'event log'];
    for (const name of names) await page.getByRole('checkbox', { name, exact: true }).press('Space');
    const last = page.getByRole('checkbox', { name: 'runs', exact: true });
    await last.press('Space');
    await page.getByText('runs is the only panel.').waitFor();
    await eventually(() => last.isChecked()).toBe(true);
    await eventually(() => new URL(page.url()).searchParams.get('panels')).toBe('runs');
    await eventually(() => page.locator('tw-curves, tw-group, tw-truth').count()).toBe(0);
    // The test uses keys, because new panels above move the checkboxes.
    for (const name of names) await page.getByRole('checkbox', { name, exact: true }).press('Space');
    await eventually(() => new URL(page.url()).searchParams.has('panels')).toBe(false);
    await eventually(() => page.getByText('is the last panel shown').count()).toBe(0);
  });
});

test('a new notice appears at the bottom of the window if the top of the page is not visible', async () => {
  const before = `const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...values) {
      if (globalThis.full) throw new DOMException('no room', 'QuotaExceededError');
      return put.apply(this, values);
    };`;
  const { page, close } = await openPage(`${STACKED}&mood=good`, { before });
  await untilStep(page, 2);
  const { step } = await pause(page);
  await waitUntilSaved(page, step);
  await page.evaluate(() => {
    Object.assign(globalThis, { full: true });
    scrollTo(0, document.documentElement.scrollHeight);
  });
  const top = page.getByText('“mood” is unknown');
  await eventually(() => top.evaluate((notice) => notice.getBoundingClientRect().bottom < 0)).toBe(true);
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  const full = page.getByText('The storage of this browser is full');
  await full.waitFor();
  await eventually(() => isVisible(page, 'tw-notices .foot')).toBe(true);
  // An earlier notice at the top does not appear at the bottom.
  await eventually(() => page.locator('tw-notices .foot li').count()).toBe(1);
  await page.locator('tw-notices .foot').getByRole('button', { name: 'Dismiss' }).click();
  await eventually(() => page.locator('tw-notices li').count()).toBe(0);
  await close();
});

test('a warm start reports its stage and the time left, and cancelling it restores the previous run', async () => {
  const { page, close } = await openPage(STACKED);
  await untilStep(page, 2);
  const { step, metrics } = await pause(page);
  await page.locator('summary', { hasText: 'Environment settings' }).click();
  await page.getByRole('button', { name: 'Train the warm start here' }).click();
  await page.getByText(/^Stage 1 of 2 \(A: clean skills\): step \d+ of 1200$/).waitFor();
  await noPoint(page, 'The warm start runs first: see its progress above.');
  await page.getByText(/^about \d+ (minutes|seconds) left$/).waitFor();
  await page.locator('tw-warm-start').getByRole('button', { name: 'Cancel' }).click();
  await page.getByText(`This is the previous run, paused at step ${step}.`).waitFor();
  await untilStatus(page, 'paused');
  await eventually(() => readRun(page)).toMatchObject({ step, metrics });
  await page.getByRole('button', { name: 'Step', exact: true }).click();
  await untilStep(page, step + 1);
  await close();
});

test('the page reports an environment that cannot be loaded, and a second attempt succeeds', async () => {
  const { context, close } = await openPage('/blank.html');
  const { page } = await openPage(SMALL, { context });
  await untilStep(page, 1);
  await context.route(/\/assets\/(open|problems)-[^/]*\.js$/, (route) => route.abort('internetdisconnected'));
  await (await openSettings(page)).getByRole('radio', { name: 'Repair' }).click({ force: true });
  const problem = page.getByRole('alert', { name: 'Problems' });
  await problem.getByText(/^The environment Repair could not be loaded .*Is this device online\?/).waitFor();
  await untilStatus(page, 'stopped');
  await noPoint(page, 'The run stopped before its first update. See the message above.');
  await context.unroute(/\/assets\/(open|problems)-[^/]*\.js$/);
  await problem.getByRole('button', { name: 'Try again' }).click();
  await untilStatus(page, 'paused');
  const { configuration, problems } = await page.evaluate(() => {
    const { model } = (document.querySelector('tw-app') as App).run.session;
    return { configuration: model.configuration, problems: model.problems };
  });
  expect(configuration.environment).toBe('repair');
  expect(problems).toEqual([]);
  await close();
});

/** Returns the index of the first example of a rule that is a tree with at least six turns. */
function largeTree(): number {
  const examples = [...new Set(RULES.map(({ example }) => example))];
  const at = examples.findIndex(({ turns }) => {
    const parents = turns.flatMap(({ parent }) => (parent < 0 ? [] : [parent]));
    return turns.length >= 6 && new Set(parents).size < parents.length;
  });
  if (at < 0) throw new Error('no example is a large tree');
  return at;
}

test('on a phone, the details of a selected turn are visible', async () => {
  const { page, close } = await openPage('?v=1&panels=inspector', { viewport: { width: 360, height: 640 } });
  // The content above the panel grows with the first update, and a click on a moving button can miss it.
  await untilStep(page, 1);
  await pause(page);
  await page.getByRole('button', { name: 'Examples' }).click();
  const tree = page.locator('tw-inspector').getByRole('tree');
  // The group is selected by its number, because "Next group" can skip a group that is not drawn yet.
  const number = page.locator('tw-inspector').getByRole('spinbutton', { name: 'Group', exact: true });
  await number.fill(String(1 + largeTree()));
  await number.press('Enter');
  await eventually(() => tree.getByRole('treeitem').count()).toBeGreaterThanOrEqual(6);
  await tree.getByRole('treeitem').first().click();
  await page.locator('tw-turn').waitFor();
  const detail = page.locator('tw-program-tree .side');
  const isDetailVisible = () =>
    detail.evaluate((element) => {
      const { top, bottom, height } = element.getBoundingClientRect();
      return (Math.min(bottom, innerHeight) - Math.max(top, 0)) / Math.min(height, 200);
    });
  await eventually(isDetailVisible).toBeGreaterThanOrEqual(1);
  await close();
});
