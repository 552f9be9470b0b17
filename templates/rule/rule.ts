import { integerPower } from '../../../numbers/exponential.ts';
import { chains, lastTurnValues, outcomesOf } from '../../arithmetic/chains.ts';
import { NORMALIZATION, normalizationOf, normalize } from '../../arithmetic/normalize.ts';
import {
  advantage,
  countOf,
  groupTrajectories,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import type { Stage } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

/** The kernel that writes `advantage`, with its arrays and its uniforms. */
const discountStage: Stage<{ readonly gamma: number }> = {
  kernel: 'credit/discounted_outcome',
  bindings: { turnOffset: trajectoryTurns.offset, turn: trajectoryTurns.member, value: outcomeAdvantage, advantage },
  count: countOf('trajectories'),
  uniforms: ({ gamma }) => ({ gamma }),
};

export const discountedOutcome = creditRule({
  name: 'discounted-outcome',
  title: 'Discounted outcome',
  family: 'group',
  input: 'trajectories',
  reads: ['outcome'],
  rewards: 'outcome',
  unit: 'turn',
  parameters: [
    {
      kind: 'number',
      name: 'gamma',
      control: 'discountedOutcomeGamma',
      label: 'Discount per turn',
      symbol: 'γ',
      default: 0.5,
      min: 0,
      max: 1,
      step: 0.05,
      help: 'Share of the credit that the turn before gets. At 1 the rule is GRPO-OR, at 0 only last turns get credit.',
    },
    ...NORMALIZATION,
  ],
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ advantage }, group) => [lastTurnValues(group, advantage)],
  },

  credit(group, values) {
    const all = chains(group);
    const { advantage: A } = normalize(outcomesOf(group), normalizationOf(values));
    const discounted = new Float64Array(group.turns.length);
    for (const [i, { turns }] of all.entries()) {
      turns.forEach((turn, k) => {
        discounted[turn] = A[i] * integerPower(values.gamma, turns.length - 1 - k);
      });
    }
    return { advantage: discounted, intermediate: {} };
  },

  compared: (group) => [outcomesOf(group)],

  outputs: {},
  stages: [normalizeStage(groupTrajectories, outcome, outcomeAdvantage), discountStage],
});
