import { exp } from '../../numbers/exponential.ts';
import type { Turn } from '../../rollouts/forest.ts';
import { mean } from '../../rollouts/rolloutBatch.ts';
import type { EnvironmentChart } from '../chart.ts';
import type { GroupFact } from '../fact.ts';

// Facts about the states before turns. Only some rules compute these values.

type Field = 'answerLogProb' | 'stateValue';

/**
 * Creates a function that averages a field over first turns, or over later turns. It returns null if no turn has a
 * value.
 */
const before =
  (
    field: Field,
    selection: 'first' | 'further',
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
  'probability of the right answer under the policy, geometric mean over its tokens. Empty under rules that do not use it.';

/** Probability of the right answer under the policy, before first and before later turns (IGPO). */
export const ANSWER_PROBABILITY_FACTS: readonly GroupFact[] = [
  {
    name: 'answerProbabilityFirst',
    label: 'Right answer before turn 1',
    short: 'turn 1',
    format: 'share',
    help: `Before turn 1: ${PROBABILITY_HELP}`,
    ofGroups: before('answerLogProb', 'first', exp),
  },
  {
    name: 'answerProbabilityFurther',
    label: 'Right answer before later turns',
    short: 'later turns',
    format: 'share',
    help: `Before later turns, given the earlier replies: ${PROBABILITY_HELP}`,
    ofGroups: before('answerLogProb', 'further', exp),
  },
];

/** Mean return of continuations from the state before a turn (VinePPO). */
export const STATE_VALUE_FACTS: readonly GroupFact[] = [
  {
    name: 'stateValueFirst',
    label: 'Value of the state before turn 1',
    short: 'turn 1',
    format: 'number',
    help: 'Mean return of the episodes that continue from before turn 1. Empty under rules without continuations.',
    ofGroups: before('stateValue', 'first'),
  },
  {
    name: 'stateValueFurther',
    label: 'Value of the states before later turns',
    short: 'later turns',
    format: 'number',
    help: 'Mean return of the episodes that continue from before later turns. Empty under rules without continuations.',
    ofGroups: before('stateValue', 'further'),
  },
];

/** Chart of the probability of the right answer before first and before later turns. */
export const ANSWER_PROBABILITY_CHART: EnvironmentChart = {
  ...{
    id: 'answerProbability',
    title: 'Probability of the correct answer',
    format: 'share',
    since: 'fact:answerProbabilityFirst',
  },
  caption: 'its probability under the policy before a turn',
  lines: ['fact:answerProbabilityFirst', 'fact:answerProbabilityFurther'],
};

/** Chart of the mean return from the states before first and before later turns. */
export const STATE_VALUE_CHART: EnvironmentChart = {
  ...{ id: 'stateValue', title: 'Values of states', format: 'number', least: 0.5, since: 'fact:stateValueFirst' },
  caption: 'mean return of episodes that continue from before a turn',
  lines: ['fact:stateValueFirst', 'fact:stateValueFurther'],
};
