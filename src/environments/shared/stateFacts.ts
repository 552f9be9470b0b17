import { exp } from '../../numbers/exponential.ts';
import { mean } from '../../rollouts/counting.ts';
import type { Turn } from '../../rollouts/forest.ts';
import type { EnvironmentChart } from '../chart.ts';
import type { GroupFact } from '../fact.ts';

// Facts of the states before turns, under the rules that use them.

type Field = 'belief' | 'worth';

/** The mean over turns that begin a rollout, or over those that continue one; null if no turn has a value. */
const before =
  (
    field: Field,
    selection: 'first' | 'later',
    format: (value: number) => number = (value) => value,
  ): GroupFact['ofGroups'] =>
  ({ groups }) => {
    const turns: readonly Turn[] = groups.flatMap((group) => group.turns);
    return mean(
      turns.flatMap(({ parent, [field]: value }) =>
        value === undefined || parent < 0 !== (selection === 'first') ? [] : [format(value)],
      ),
    );
  };

const PROBABILITY_HELP =
  'how probable the policy finds the right answer, the geometric mean over its tokens. Empty under rules that do not ask.';

/** Probability that the policy gives to the right answer (IGPO). */
export const ANSWER_PROBABILITY_FACTS: readonly GroupFact[] = [
  {
    name: 'beliefFirst',
    label: 'Right answer before turn 1',
    short: 'turn 1',
    format: 'share',
    help: `Before turn 1: ${PROBABILITY_HELP}`,
    ofGroups: before('belief', 'first', exp),
  },
  {
    name: 'beliefLater',
    label: 'Right answer before later turns',
    short: 'later turns',
    format: 'share',
    help: `Before turns behind the first, with what was found in view: ${PROBABILITY_HELP}`,
    ofGroups: before('belief', 'later', exp),
  },
];

/** Mean return of episodes that continue from a state (VinePPO). */
export const STATE_VALUE_FACTS: readonly GroupFact[] = [
  {
    name: 'worthFirst',
    label: 'Worth of the state before turn 1',
    short: 'turn 1',
    format: 'number',
    help: 'Mean return of the episodes that are played on from before turn 1. Empty under rules that play none.',
    ofGroups: before('worth', 'first'),
  },
  {
    name: 'worthLater',
    label: 'Worth of the states before later turns',
    short: 'later turns',
    format: 'number',
    help: 'Mean return of the episodes that are played on from before turns behind the first. Empty under rules that play none.',
    ofGroups: before('worth', 'later'),
  },
];

/** Effect of the information in a turn on the probability of the right answer. */
export const ANSWER_PROBABILITY_CHART: EnvironmentChart = {
  ...{ id: 'belief', title: 'Probability of the correct answer', format: 'share', since: 'fact:beliefFirst' },
  caption: 'how probable the policy finds it before a turn',
  lines: ['fact:beliefFirst', 'fact:beliefLater'],
};

/** Mean return from later states in comparison with the beginning. */
export const STATE_VALUE_CHART: EnvironmentChart = {
  ...{ id: 'worth', title: 'What states are worth', format: 'number', least: 0.5, since: 'fact:worthFirst' },
  caption: 'mean return of episodes played on from before a turn',
  lines: ['fact:worthFirst', 'fact:worthLater'],
};
