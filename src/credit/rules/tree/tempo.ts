import type { Group } from '../../../rollouts/forest.ts';
import { broadcastToTurns, chains, firstTurnValues, outcomesOf } from '../../arithmetic/chains.ts';
import {
  mean,
  NORMALIZATION,
  type NormalizationValues,
  normalizationOf,
  normalize,
} from '../../arithmetic/normalize.ts';
import {
  groupTrajectories,
  normalizeStage,
  outcome,
  outcomeAdvantage,
  valueDifferenceStage,
} from '../../gpu/batchArrays.ts';
import { type Stage, scratch } from '../../gpu/stage.ts';
import { checkSignature, prefixes, trajectoryOf } from '../../gpu/turnSignatures.ts';
import { creditRule } from '../../rule.ts';

const prefixValue = scratch('prefixValue', 'turns');

const valueStage: Stage<unknown> = {
  kernel: 'credit/prefix_value',
  bindings: {
    prefixOffset: prefixes.offset,
    prefixMember: prefixes.member,
    trajectory: trajectoryOf,
    normalized: outcomeAdvantage,
    prefixValue,
  },
  count: (view) => view.listCount(prefixes),
};

const differenceStage = valueDifferenceStage(outcomeAdvantage, prefixValue, () => ({ share: 1, gamma: 1 }));

/**
 * TEMPO. A prefix consists of the states and actions before a turn, and the state of the turn. In the paper it consists
 * of tokens. After the last turn, the value of a rollout is its outcome.
 */
export const tempo = creditRule({
  name: 'tempo',
  title: 'TEMPO',
  family: 'states',
  input: 'trajectories',
  reads: ['outcome', 'state', 'action'],
  rewards: 'outcome',
  unit: 'turn',
  parameters: NORMALIZATION,
  // Changes of the value sum to 0 over the turns after the same prefix.
  laws: {
    parameters: { epsilon: 0 },
    shift: ['reward', 'outcome'],
    scale: 'same',
    zeroSums: ({ advantage, intermediate: { outcomeAdvantage } }, group) => [
      firstTurnValues(group, outcomeAdvantage),
      ...samePrefix(group).map((turns) => turns.map((turn) => advantage[turn] - outcomeAdvantage[turn])),
    ],
  },

  credit(group, values) {
    const { all, normalized, openPrefixes } = prefixTree(group, values);
    const V = new Float64Array(group.turns.length);
    for (const { turns, value } of openPrefixes.values()) for (const turn of turns) V[turn] = value;
    const A = new Float64Array(group.turns.length);
    all.forEach(({ turns }, i) => {
      turns.forEach((turn, position) => {
        A[turn] = normalized[i] + (findNextValue(V, turns, position, normalized[i]) - V[turn]);
      });
    });
    return {
      advantage: A,
      intermediate: { outcomeAdvantage: broadcastToTurns(group, all, (i) => normalized[i]), prefixValue: V },
    };
  },

  // If all outcomes are equal, every r̃ and every V is 0.
  compared: (group) => [outcomesOf(group)],

  outputs: { prefixValue },
  stages: [normalizeStage(groupTrajectories, outcome, outcomeAdvantage), valueStage, differenceStage],
});

/** Returns the value after a turn: the value of the next turn, or the final value after the last turn. */
export function findNextValue(V: Float64Array, turns: readonly number[], position: number, finalValue: number): number {
  return position + 1 < turns.length ? V[turns[position + 1]] : finalValue;
}

/** Prefix that some rollouts share. */
interface Prefix {
  readonly rollouts: number[];
  /** Turn of each rollout that follows the prefix. */
  readonly turns: number[];
  value: number;
}

/** Finds all prefixes of the rollouts of a group, with the mean normalised outcome of the rollouts of each prefix. */
export function prefixTree(group: Group, values: NormalizationValues) {
  const all = chains(group);
  const { advantage: normalized } = normalize(
    all.map((chain) => chain.outcome),
    normalizationOf(values),
  );
  const openPrefixes = new Map<string, Prefix>();
  all.forEach(({ turns }, rollout) => {
    let key = '';
    for (const turn of turns) {
      key += JSON.stringify(checkSignature(group, turn, 'state'));
      const prefix = openPrefixes.get(key) ?? { rollouts: [], turns: [], value: 0 };
      openPrefixes.set(key, prefix);
      prefix.rollouts.push(rollout);
      prefix.turns.push(turn);
      key += JSON.stringify(checkSignature(group, turn, 'action'));
    }
  });
  for (const prefix of openPrefixes.values())
    prefix.value = mean(prefix.rollouts.map((rollout) => normalized[rollout]));
  return { all, normalized, openPrefixes };
}

/** Returns lists of turns with the same prefix: equal states and actions before the turn, and an equal state. */
function samePrefix(group: Group): number[][] {
  const lists = new Map<string, number[]>();
  for (const { turns } of chains(group)) {
    const history: unknown[] = [];
    for (const turn of turns) {
      history.push(group.turns[turn].state);
      const key = JSON.stringify(history);
      lists.set(key, [...(lists.get(key) ?? []), turn]);
      history.push(group.turns[turn].action);
    }
  }
  return [...lists.values()];
}
