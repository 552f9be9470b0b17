import type { Page } from 'playwright-core';
import { ENVIRONMENTS } from '../src/environments/registry.ts';
import type { CounterRandom } from '../src/random/counter.ts';
import { OFFERED } from '../src/training/data/configurationTables.ts';
import type { Command } from '../src/training/data/protocol.ts';
import { PRESETS, type Preset } from '../src/training/data/worlds.ts';
import type { App } from '../test/browser/app.ts';
import { breakTraining } from '../test/browser/faults.ts';

/** Settings so small that a software renderer makes several updates per second. */
const SMALL = { questions: 1, groupSize: 4, minibatches: 1 };
const SMALL_PROGRAMS = { ...SMALL, programs: 8, singleSize: 4, treeRoots: 2, treeChildren: 2 };
type EnvironmentName = keyof typeof ENVIRONMENTS;

/** Action of a user, or fault, that can occur at any time. Returns its description. */
export type Step = (page: Page, random: CounterRandom) => Promise<string>;

function send(page: Page, ...commands: Command[]): Promise<void> {
  return page.evaluate((all) => {
    const { session } = (document.querySelector('tw-app') as App).run;
    for (const command of all) session.send(command);
  }, commands);
}

/** Changes a run to small settings, because a new run has the default controls of its environment. */
function shrink(page: Page, environment: string): Promise<void> {
  const controls = environment === 'repair' ? SMALL_PROGRAMS : SMALL;
  return page.evaluate((changes) => {
    const { session } = (document.querySelector('tw-app') as App).run;
    session.change(changes);
    session.send({ type: 'play' });
  }, controls);
}

export async function beginEnvironment(page: Page, name: EnvironmentName): Promise<void> {
  await page.evaluate((requested) => (document.querySelector('tw-app') as App).run.environment(requested), name);
  await shrink(page, name);
}

const environmentOf = (page: Page) =>
  page.evaluate(() => (document.querySelector('tw-app') as App).run.session.model.configuration.environment);

const pick = <T>(random: CounterRandom, from: readonly T[]): T => from[random.integer(from.length)];

/** Steps with their relative frequencies. */
export const STEPS: readonly (readonly [number, Step])[] = [
  [
    5,
    async (page, random) => {
      const rule = pick(random, OFFERED[await environmentOf(page)]);
      await page.evaluate((name) => (document.querySelector('tw-app') as App).run.session.change({ rule: name }), rule);
      return `rule ${rule}`;
    },
  ],
  [
    1,
    async (page, random) => {
      const name = pick(random, Object.keys(ENVIRONMENTS) as EnvironmentName[]);
      await beginEnvironment(page, name);
      return `environment ${name}`;
    },
  ],
  [
    1,
    async (page, random) => {
      const preset: Preset = pick(random, PRESETS);
      await page.evaluate((requested) => (document.querySelector('tw-app') as App).run.preset(requested), preset);
      await shrink(page, preset.environment);
      return `preset ${preset.name}`;
    },
  ],
  [
    2,
    async (page, random) => {
      const seed = random.integer(1000);
      await page.evaluate((requested) => (document.querySelector('tw-app') as App).run.seed(requested), seed);
      await send(page, { type: 'play' });
      return `seed ${seed}`;
    },
  ],
  [
    2,
    async (page) => {
      const lost = await breakTraining(page, 'lose-device', false);
      return lost ? 'device lost' : 'no device to lose';
    },
  ],
  [
    2,
    async (page, random) => {
      const milliseconds = 200 + random.integer(2000);
      await page.evaluate('__hide(true)');
      await page.waitForTimeout(milliseconds);
      await page.evaluate('__hide(false)');
      return `hidden for ${milliseconds} ms`;
    },
  ],
  [
    2,
    async (page) => {
      const environment = await environmentOf(page);
      const open = await page.evaluate(() => {
        const { url, session } = (document.querySelector('tw-app') as App).run;
        const opens = !url.view.panels.includes('truth');
        url.setView(
          { ...url.view, panels: opens ? ['chart', 'group', 'truth'] : ['chart', 'group'] },
          session.model.link,
        );
        return opens;
      });
      const rules = [...OFFERED[environment]].slice(0, 1);
      const counts = { kind: 'outcome', gamma: 1, bonus: 0 } as const;
      const request = { rules, continuations: 8, gradientGroups: 0, counts, turns: [0] };
      if (open) await send(page, { type: 'measure-truth', request }, { type: 'play' });
      return open ? 'truth panel opened, measuring' : 'truth panel closed';
    },
  ],
  [2, async (page) => send(page, { type: 'sample' }, { type: 'step' }, { type: 'play' }).then(() => 'sample and step')],
  [
    1,
    async (page) => send(page, { type: 'pause' }, { type: 'save' }, { type: 'play' }).then(() => 'pause, save, play'),
  ],
  [
    1,
    async (page) => {
      await page.evaluate(() => (document.querySelector('tw-app') as App).run.reset());
      await send(page, { type: 'play' });
      return 'reset';
    },
  ],
];

/** Draws a step with a probability proportional to its frequency. */
export function drawStep(random: CounterRandom): Step {
  let at = random.integer(STEPS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, step] of STEPS) {
    if (at < weight) return step;
    at -= weight;
  }
  throw new Error('the weights do not add up');
}
