import { html } from 'lit';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import '../../../src/app/why/whyPanel.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import { learning } from '../runs.ts';
import { type Specimens, unfold } from '../specimen.ts';

/**
 * Creates metrics of updates with the rewards and credit of the watched turns of an environment.
 * @param scale factor of the credit and of the push
 */
function decided(environment: EnvironmentName, updates: number, scale = 1): readonly Metrics[] {
  const { watchedTurns } = ENVIRONMENTS[environment];
  const cases = watchedTurns?.kinds.flatMap((kind, at) => kind.cases.map(({ name }) => ({ name, at }))) ?? [];
  return learning(updates).map((row, step) => {
    const rewards = cases.flatMap(({ name, at }, index) => [
      [`${name}Count`, 20 + index * 3],
      [`${name}Credit`, scale * (at === 0 ? 6 - 4 * index : 12 - step / 4)],
      [`${name}Compared`, -3 + index],
    ]);
    const rest = { tiedCount: 80, push: -0.01 * scale, pushNoise: 0.001, probabilityNoise: 0.01 };
    return { ...row, searchProbability: 0.9 - step / 200, decision: { ...Object.fromEntries(rewards), ...rest } };
  });
}

const panel = (metrics: readonly Metrics[], environment: EnvironmentName = 'search') =>
  html`<tw-why .environment=${environment} .metrics=${metrics} .revision=${metrics.length}></tw-why>`;

/** Creates moves of updates: every third has no measurable direction, and every fifth the opposite direction. */
const moves = (updates: number) =>
  Array.from({ length: updates }, (_, step) => {
    const move = Math.sin(step / 5) / 100;
    const against = step % 5 === 4;
    return { step, move, change: (against ? -4 : 6) * move, agrees: step % 3 === 0 ? undefined : !against };
  });

export const WHY: Specimens = {
  'tw-why-moves': [
    { state: 'usual', content: () => html`<tw-why-moves .moves=${moves(24)}></tw-why-moves>` },
    { state: 'full', content: () => html`<tw-why-moves .moves=${moves(50)}></tw-why-moves>` },
    { state: 'empty', content: () => html`<tw-why-moves></tw-why-moves>` },
  ],
  'tw-why': [
    { state: 'usual', content: () => panel(decided('search', 40)) },
    { state: 'usual', note: 'open', content: () => panel(decided('search', 40)), act: unfold },
    { state: 'usual', note: 'programs', content: () => panel(decided('repair', 40), 'repair') },
    { state: 'usual', note: 'programs, open', content: () => panel(decided('repair', 40), 'repair'), act: unfold },
    { state: 'usual', note: 'steps, open', content: () => panel(decided('repo', 40), 'repo'), act: unfold },
    { state: 'full', note: 'long numbers', content: () => panel(decided('search', 120, 12_345)), act: unfold },
  ],
};
