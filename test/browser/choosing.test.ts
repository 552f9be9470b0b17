import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  eventually,
  openSettings,
  pause,
  readRun,
  readWhen,
  STACKED,
  untilAnswered,
  untilStatus,
  untilStep,
} from './app.ts';
import { type OpenPage, openPage } from './chromium.ts';

/** Returns the name or text of the focused element, inside all shadow trees that contain it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const label = (active as HTMLInputElement | null)?.labels?.[0]?.textContent;
    const text = active?.getAttribute('aria-label') ?? label ?? active?.querySelector('b')?.textContent;
    return (text ?? active?.textContent ?? active?.localName ?? '').replace(/\s+/g, ' ').trim();
  });
}

/** Presses a key and waits until the focused element has a name. */
async function pressTo(page: Page, key: string, name: string | RegExp): Promise<void> {
  await page.keyboard.press(key);
  await eventually(() => focused(page), `focus after ${key}`).toEqual(
    typeof name === 'string' ? name : expect.stringMatching(name),
  );
}

let open: OpenPage;
beforeAll(async () => {
  open = await openPage(STACKED);
  await untilStep(open.page, 2);
  await pause(open.page);
});

describe('rule switch and environments', () => {
  test('arrow keys move the focus in the rule switch and the environments; Enter and Space select', async () => {
    const { page } = open;
    await page.getByRole('radio', { name: 'MT-GRPO', exact: true }).focus();
    await pressTo(page, 'ArrowRight', 'GRPO-OR');
    await pressTo(page, 'ArrowRight', 'MT-GRPO');
    await pressTo(page, 'ArrowLeft', 'GRPO-OR');
    await pressTo(page, 'Home', 'MT-GRPO');
    await pressTo(page, 'End', 'GRPO-OR');
    await untilAnswered(page);
    await eventually(() => page.getByRole('radio', { name: 'MT-GRPO', exact: true }).isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await eventually(async () => (await readRun(page, 'events')).events.map(({ changes }) => changes.rule)).toEqual([
      'grpo-or',
    ]);
    await pressTo(page, 'ArrowLeft', 'MT-GRPO');
    await page.keyboard.press('Space');
    await eventually(async () => (await readRun(page, 'events')).events.map(({ changes }) => changes.rule)).toEqual([
      ...['grpo-or', 'mt-grpo'],
    ]);

    await openSettings(page);
    await page.getByRole('radio', { name: 'Search', exact: true }).focus();
    await pressTo(page, 'ArrowRight', 'Repair');
    await pressTo(page, 'ArrowRight', 'Repository');
    await untilAnswered(page);
    await eventually(async () => (await readRun(page, 'configuration')).configuration.environment).toBe('search');
    await pressTo(page, 'ArrowRight', 'Bandit');
    await pressTo(page, 'ArrowRight', 'Search');
  });

  test('the accessible description of rules and environments names Enter and Space', async () => {
    const { page, context } = open;
    await openSettings(page);
    const session = await context.newCDPSession(page);
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const findDescription = (name: string) =>
      nodes.find((node) => node.role?.value === 'radio' && node.name?.value === name)?.description?.value;
    for (const name of ['GRPO-OR', 'Repository']) expect(findDescription(name)).toContain('Enter or Space selects');
  });
});

describe('rule menu', () => {
  test('arrows, Home, End and letters move the focus in the rule menu, and Escape closes it', async () => {
    const { page } = open;
    const { rule } = (await readRun(page, 'controls')).controls;
    const button = page.getByRole('button', { name: 'More credit rules' });
    await button.focus();
    await page.keyboard.press('Enter');
    await eventually(() => focused(page)).toBe('MT-GRPO');
    await eventually(() => button.getAttribute('aria-expanded')).toBe('true');
    await pressTo(page, 'ArrowDown', 'GRPO-OR');
    await pressTo(page, 'ArrowUp', 'MT-GRPO');
    await page.keyboard.press('ArrowUp');
    const last = await readWhen(
      () => focused(page),
      (name) => name !== 'MT-GRPO',
    );
    await pressTo(page, 'Home', 'MT-GRPO');
    await pressTo(page, 'End', last);
    await pressTo(page, 'r', /^R/);
    await page.keyboard.press('Escape');
    await eventually(() => focused(page)).toBe('More credit rules');
    await eventually(() => page.getByRole('menu').count()).toBe(0);
    await untilAnswered(page);
    await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe(rule);

    await page.keyboard.press('ArrowDown');
    await eventually(() => focused(page)).toBe('MT-GRPO');
    // Tab moves from the menu button to the next control.
    await page.keyboard.press('Tab');
    await eventually(() => page.getByRole('menu').count()).toBe(0);
    await eventually(() => focused(page)).toBe('Panels');
  });

  test('a rule that is selected in the menu is appended to the rule switch', async () => {
    const { page } = open;
    const rules = page.locator('tw-rule-switch').getByRole('radio');
    const names = () => rules.evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value));
    await eventually(names).toEqual(['mt-grpo', 'grpo-or']);
    await page.getByRole('button', { name: 'More credit rules' }).click();
    await page.getByRole('menuitemradio', { name: /^RLOO/ }).click();
    await eventually(names).toEqual(['mt-grpo', 'grpo-or', 'rloo']);
    await eventually(() => page.getByRole('radio', { name: 'RLOO' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'GRPO-OR', exact: true }).check({ force: true });
    await eventually(async () => (await readRun(page, 'controls')).controls.rule).toBe('grpo-or');
    await eventually(names).toEqual(['mt-grpo', 'grpo-or', 'rloo']);
  });
});

test('one button explains all controls, Tab skips the help buttons, and sliders have descriptions', async () => {
  const { page } = open;
  const help = page.locator('tw-controls .help');
  const countVisible = async () =>
    (await help.evaluateAll((all) => all.filter((element) => element.checkVisibility()))).length;
  await eventually(countVisible).toBe(0);
  const slider = page.getByRole('slider', { name: 'Tool executed' });
  await slider.focus();
  await pressTo(page, 'Tab', 'Tool executed');
  await pressTo(page, 'Tab', 'Answer retrieved');
  await eventually(() =>
    slider.evaluate((element) =>
      (element as HTMLInputElement).ariaDescribedByElements?.map(({ textContent }) => textContent).join('\n'),
    ),
  ).toMatch(/^No effect now: .*\nReward of turn 1 for a well-formed call\. .*\(a number from -2 to 2\)$/s);
  const explain = page.getByRole('button', { name: 'Explain: Controls' });
  await explain.focus();
  await page.keyboard.press('Enter');
  const all = await readWhen(
    () => help.count(),
    (count) => count > 0,
  );
  await eventually(countVisible).toBe(all);
  await eventually(async () => (await help.allInnerTexts()).filter((text) => /[a-z][A-Z][a-z]/.test(text))).toEqual([]);
  await page.keyboard.press('Enter');
  await eventually(countVisible).toBe(0);
  await page.getByRole('button', { name: 'What is Tool skipped?' }).click();
  await eventually(countVisible).toBe(1);
  await untilStatus(page, 'paused');
  expect(open.errors).toEqual([]);
});
