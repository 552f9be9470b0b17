import { exp } from '../../numbers/exponential.ts';
import { mean } from '../../rollouts/counting.ts';
import type { Turn } from '../../rollouts/forest.ts';
import type { EnvironmentChart } from '../chart.ts';
import type { GroupFact } from '../fact.ts';

// What is said of the states before turns, under the rules that ask about them.

type Field = 'belief' | 'worth';

/** The mean over turns that begin a rollout, or over those that go on; null where nobody asked. */
const before =
  (
    field: Field,
    which: 'first' | 'later',
    shown: (value: number) => number = (value) => value,
  ): GroupFact['ofGroups'] =>
  ({ groups }) => {
    const turns: readonly Turn[] = groups.flatMap((group) => group.turns);
    return mean(
      turns.flatMap(({ parent, [field]: value }) =>
        value === undefined || parent < 0 !== (which === 'first') ? [] : [shown(value)],
      ),
    );
  };

const ASKED =
  'how probable the policy finds the right answer, the geometric mean over its tokens. Empty under rules that do not ask.';

/** What the policy thinks of the right answer (IGPO). */
export const BELIEF_FACTS: readonly GroupFact[] = [
  {
    name: 'beliefFirst',
    label: 'Right answer before turn 1',
    short: 'turn 1',
    format: 'share',
    help: `Before turn 1: ${ASKED}`,
    ofGroups: before('belief', 'first', exp),
  },
  {
    name: 'beliefLater',
    label: 'Right answer before later turns',
    short: 'later turns',
    format: 'share',
    help: `Before turns behind the first, with what was found in view: ${ASKED}`,
    ofGroups: before('belief', 'later', exp),
  },
];

/** What episodes return that go on from a state (VinePPO). */
export const WORTH_FACTS: readonly GroupFact[] = [
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

/** Whether what a turn shows makes the right answer more probable. */
export const BELIEF_CHART: EnvironmentChart = {
  ...{ id: 'belief', title: 'Probability of the correct answer', format: 'share', since: 'fact:beliefFirst' },
  caption: 'how probable the policy finds it before a turn',
  lines: ['fact:beliefFirst', 'fact:beliefLater'],
};

/** Whether a state behind the first is worth more than the beginning. */
export const WORTH_CHART: EnvironmentChart = {
  ...{ id: 'worth', title: 'What states are worth', format: 'number', least: 0.5, since: 'fact:worthFirst' },
  caption: 'mean return of episodes played on from before a turn',
  lines: ['fact:worthFirst', 'fact:worthLater'],
};
