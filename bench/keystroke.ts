import { cpus, loadavg } from 'node:os';
import { max, median, min } from 'd3-array';
import type { Page } from 'playwright-core';
import { choice, integerFlag } from '../src/cli/framework/flags.ts';
import { findRule } from '../src/credit/rules.ts';
import type { TurnField } from '../src/rollouts/forest.ts';
import { tablesOf } from '../src/training/data/configurationTables.ts';
import { ADAPTERS, withBuiltPage } from './builtPage.ts';
import { runBenchmark } from './options.ts';

/** Maximum time from a keystroke to the displayed credit [ms]. */
const BUDGET = 100;
/** Query of a small run with the panels of the editor. The run is paused, so that only the editor computes. */
const PANEL = '?v=1&questions=1&groupSize=8&minibatches=1&panels=group,rule';

/** Time to wait until the page has computed a changed text [ms]. */
const SETTLING = 1000;

/** Presses a key. Returns the time until the frame that shows the new credit [ms]. */
async function keystroke(page: Page): Promise<number> {
  const answer = await page.locator('tw-own-rule-credit').evaluateHandle((credit) => {
    let pressed = 0;
    let working = false;
    addEventListener('keydown', () => (pressed = performance.now()), { capture: true, once: true });
    const status = credit.shadowRoot?.querySelector('[role=status]') as Element;
    const milliseconds = new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        const text = status.textContent ?? '';
        working ||= pressed > 0 && text.startsWith('Computing');
        if (!working || !text.startsWith('Computed')) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - pressed));
      });
      observer.observe(status, { characterData: true, childList: true, subtree: true });
    });
    return { milliseconds };
  });
  // A key in a comment changes the text without changing the rule.
  await page.keyboard.press('x');
  return answer.evaluate(({ milliseconds }) => milliseconds);
}

/** Fields that groups of this run lack, in addition to the values of a critic. */
const MISSING: readonly TurnField[] = ['answerLogProb', 'stateValue'];

interface Options {
  readonly adapter: string;
  readonly keys: number;
}

async function main({ adapter, keys }: Options): Promise<number> {
  return withBuiltPage(adapter, async ({ browser, address }) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(address(PANEL));
    await page.locator('tw-group-table tbody tr').first().waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Open the editor of your rule' }).click();
    const editor = page.getByRole('textbox', { name: 'Your rule in Python' });
    const status = page.locator('tw-own-rule-credit [role=status]');
    let over = 0;
    const offered = tablesOf('search').rule.options.map(findRule);
    const readable = offered.filter(
      ({ unit, reads }) => unit === 'turn' && !reads.some((field) => MISSING.includes(field)),
    );
    for (const { name, title } of readable) {
      await page.getByRole('combobox', { name: 'Start from' }).selectOption(name);
      await page.waitForTimeout(SETTLING);
      await editor.press('ControlOrMeta+End');
      await editor.pressSequentially('\n#');
      await page.waitForTimeout(SETTLING);
      await status.filter({ hasText: 'Computed' }).waitFor();
      const times: number[] = [];
      for (let key = 0; key < keys; key++) times.push(await keystroke(page));
      const middle = median(times) ?? Number.NaN;
      if (!(middle <= BUDGET)) over++;
      const span = `${(min(times) ?? 0).toFixed(0)} to ${(max(times) ?? 0).toFixed(0)}`;
      console.log(`${title.padEnd(14)} ${middle.toFixed(0)} ms (${span})`);
    }
    console.log(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`);
    return over === 0 ? 0 : 1;
  });
}

process.exit(
  await runBenchmark({
    name: 'bench:keystroke',
    description:
      'Time from a keystroke in the editor of a custom rule to the frame with its result on the visible group, in Chromium, ' +
      `for the rule files of the package: median, minimum and maximum. The exit code is 1 if a median is over ${BUDGET} ms.`,
    flags: {
      keys: integerFlag('Keystrokes of each rule.', { min: 1, max: 1000, default: 15 }),
      adapter: choice('Chromium’s adapter; with a GPU choose default.', [...ADAPTERS], 'swiftshader'),
    },
    examples: ['--keys 15'],
    run: main,
  }),
);
