import type { Page } from 'playwright-core';
import { uniform } from '../src/random/counter.ts';
import type { App } from '../test/browser/app.ts';

/** Draws of one soak: the same seed does the same things in the same order. */
export class Dice {
  private drawn = 0;

  constructor(private readonly seed: number) {}

  /** A number in [0, 1). */
  next(): number {
    return uniform(this.seed, this.drawn++, 0, 0);
  }

  of<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item;
  }
}

/** Something that a visitor, a browser or bad luck does. Runs in Node; says what it did. */
type Action = (page: Page, dice: Dice) => Promise<string>;

const SEARCH_RULES = ['mt-grpo', 'grpo-or', 'grpo-mr', 'ppo-or', 'mt-ppo', 'rloo'] as const;
const ENVIRONMENTS = ['search', 'repair', 'repo'] as const;

/** Presses a button of the page's header or of its problems, where it is there and can be pressed. */
async function press(page: Page, name: string | RegExp): Promise<boolean> {
  const button = page.getByRole('button', { name }).first();
  if (!(await button.isVisible()) || (await button.isDisabled())) return false;
  return button.click({ timeout: 2000 }).then(
    () => true,
    () => false,
  );
}

const ACTIONS: readonly (readonly [weight: number, action: Action])[] = [
  [4, async (page) => ((await press(page, 'Play')) ? 'play' : 'play: not to be pressed')],
  [2, async (page) => ((await press(page, 'Pause')) ? 'pause' : 'pause: not to be pressed')],
  [2, async (page) => ((await press(page, 'Step')) ? 'step' : 'step: not to be pressed')],
  [1, async (page) => ((await press(page, 'Reset')) ? 'reset' : 'reset: not to be pressed')],
  [
    4,
    async (page, dice) => {
      const rule = dice.of(SEARCH_RULES);
      await page.evaluate((name) => (document.querySelector('tw-app') as App).run.session.change({ rule: name }), rule);
      return `rule ${rule}`;
    },
  ],
  [
    2,
    async (page, dice) => {
      const seed = Math.floor(dice.next() * 100);
      await page.evaluate((value) => (document.querySelector('tw-app') as App).run.seed(value), seed);
      return `seed ${seed}`;
    },
  ],
  [
    2,
    async (page, dice) => {
      const environment = dice.of(ENVIRONMENTS);
      await page.evaluate((name) => (document.querySelector('tw-app') as App).run.environment(name), environment);
      return `environment ${environment}`;
    },
  ],
  [
    2,
    async (page, dice) => {
      const presets = page.locator('tw-introduction button[aria-pressed]');
      const count = await presets.count();
      if (count === 0) return 'preset: there is none';
      const preset = presets.nth(Math.floor(dice.next() * count));
      await preset.click({ timeout: 2000 }).catch(() => {});
      return 'preset';
    },
  ],
  [
    2,
    async (page) => {
      await page.evaluate(() =>
        (document.querySelector('tw-app') as App).run.session.send({ type: 'fault', kind: 'lose-device' }),
      );
      return 'the device is lost';
    },
  ],
  [
    1,
    async (page) => {
      await page.evaluate(() =>
        (document.querySelector('tw-app') as App).run.session.send({ type: 'fault', kind: 'throw' }),
      );
      return 'the worker throws';
    },
  ],
  [
    3,
    async (page) => {
      const hidden = await page.evaluate(() => {
        const to = !document.hidden;
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => to });
        document.dispatchEvent(new Event('visibilitychange'));
        return to;
      });
      return hidden ? 'hidden' : 'shown';
    },
  ],
  [2, async (page) => ((await press(page, /^Measure/)) ? 'measure' : 'measure: not to be pressed')],
  [1, async (page) => ((await press(page, /^Cancel/)) ? 'cancel' : 'cancel: not to be pressed')],
  [1, async (page) => ((await press(page, /^New sample/)) ? 'new sample' : 'new sample: not to be pressed')],
  [
    1,
    async (page) => {
      await page.evaluate(() => history.back());
      return 'back';
    },
  ],
  [3, async (page) => ((await press(page, /^(Go on from|Start again)/)) ? 'go on after a stop' : 'nothing stopped')],
];

/** Does something at random. */
export async function act(page: Page, dice: Dice): Promise<string> {
  const total = ACTIONS.reduce((sum, [weight]) => sum + weight, 0);
  let left = dice.next() * total;
  for (const [weight, action] of ACTIONS) {
    left -= weight;
    if (left < 0) return action(page, dice);
  }
  return 'nothing';
}
