import type { NumberParameter } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { chains, checkStateValue } from '../../arithmetic/chains.ts';
import { outcome, valueDifferenceStage } from '../../gpu/batchArrays.ts';
import type { BatchArray } from '../../gpu/stage.ts';
import { creditRule } from '../../rule.ts';

const GAMMA = {
  kind: 'number',
  name: 'gamma',
  control: 'vineGamma',
  label: 'Discount per turn',
  symbol: 'γ',
  default: 1,
  min: 0,
  max: 1,
  step: 0.01,
  help: 'Factor of a value for the turn before it. At 1, as in the paper, the delay of the outcome has no effect.',
} as const satisfies NumberParameter;

const CONTINUATIONS = {
  kind: 'number',
  name: 'vineContinuations',
  label: 'Continuations per turn',
  symbol: 'K',
  default: 4,
  min: 1,
  max: 32,
  step: 1,
  integer: true,
  help:
    'Episodes that continue from the state before each turn, to estimate its value. The update does not train on them. At 4 ' +
    'an update takes nearly twice as long. The paper uses 9.',
} as const satisfies NumberParameter;

/** Value V before each turn [turns]. */
const stateValue: BatchArray = {
  label: 'stateValue',
  type: 'f32',
  extent: 'turns',
  fill: (view) =>
    view.once(({ forest }) => Float64Array.from(forest.groups.flatMap((group) => [...readTurnValues(group)]))),
};

/** VinePPO. It trains no critic: the value of a state is the mean return of sampled continuations. */
export const vineppo = creditRule({
  name: 'vineppo',
  title: 'VinePPO',
  family: 'tree',
  input: 'trajectories',
  reads: ['outcome', 'stateValue'],
  rewards: 'outcome',
  turns: 'steps',
  unit: 'turn',
  parameters: [GAMMA],
  samplingParameters: [CONTINUATIONS],
  laws: {
    scale: 'multiplied',
  },

  credit(group, { gamma }) {
    const V = readTurnValues(group);
    const A = new Float64Array(group.turns.length);
    for (const { turns, outcome: finalOutcome } of chains(group)) {
      turns.forEach((turn, position) => {
        const next = turns[position + 1];
        A[turn] = (next === undefined ? finalOutcome : gamma * V[next]) - V[turn];
      });
    }
    return { advantage: A, intermediate: { stateValue: V } };
  },

  // Rollouts are not compared with each other.
  compared: () => [],

  outputs: { stateValue },
  stages: [valueDifferenceStage(outcome, stateValue, ({ gamma }: { readonly gamma: number }) => ({ share: 0, gamma }))],
});

/** Returns V before each turn [turns]. @throws {CreditError} for a turn without `stateValue` */
function readTurnValues({ id, turns }: Group): Float64Array {
  return Float64Array.from(turns, (turn, index) => checkStateValue(id, index, turn));
}
