import { beforeAll, describe, expect, test } from 'vitest';
import type { ParameterValues } from '../../../../src/parameters/parameters.ts';
import type { Sequence } from '../../../../src/policy/batch.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';
import { buildForest } from '../../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import {
  ExactCredit,
  MAX_EPOCHS,
  ORDERS_AN_UPDATE,
  orderKey,
  planUpdate,
} from '../../../../src/training/update/planUpdate.ts';
import { CONTEXT, collect } from '../collectWorld.ts';

const RUN = { seed: 5, context: CONTEXT, criticUpdates: 0 };
const CONTROLS = { ...defaultConfiguration().controls, rule: 'grpo-or', minibatches: 4, epochs: 1, klCoef: 0 };
const OUTCOMES = [0, 1, 0.5, 1, 0, 0.5];

/** Three groups of six chains with the outcomes above, except that all outcomes of the first group are 1. */
let batch: RolloutBatch;

beforeAll(async () => {
  const collected = (await collect({ next: 'reply', turns: 3 }, [6, 1])).batch;
  const groups = collected.groups.map((group, index) => {
    let next = 0;
    const outcome = () => (index === 0 ? 1 : OUTCOMES[next++]);
    return { ...group, turns: group.turns.map((turn) => ('outcome' in turn ? { ...turn, outcome: outcome() } : turn)) };
  });
  batch = { ...collected, groups, forest: buildForest(groups) };
});

const planOf = (collected: RolloutBatch, controls: ParameterValues, run = RUN) =>
  planUpdate(collected, controls, new ExactCredit(collected, controls, 3), run);
const plan = (controls: Record<string, string | number> = {}, run: Partial<typeof RUN> = {}) =>
  planOf(batch, { ...CONTROLS, ...controls }, { ...RUN, ...run });
const sum = (values: ArrayLike<number>) => Array.from(values).reduce((total, value) => total + value, 0);
const weightOf = (sequences: readonly Sequence[]) => sum(sequences.map(({ weights }) => sum(weights)));
/** Returns the indices of the rollouts of sequences. */
const rolloutsOf = (sequences: readonly Sequence[]) =>
  sequences.map(({ slot }) => batch.rollouts.findIndex(({ sequence }) => sequence * CONTEXT === slot));
/** Returns the turns of rollouts as a share of all turns. */
const shareOfTurns = (rollouts: readonly number[]) =>
  sum(rollouts.map((index) => batch.rollouts[index].turns.length)) / batch.forest.parent.length;

describe('minibatches', () => {
  test('minibatches have about equal sizes, and every epoch has all rollouts in a different order', () => {
    const { minibatches } = plan({ epochs: 3 });
    // 18 rollouts in at most 4 minibatches of 5.
    expect(minibatches.map(({ length }) => length)).toEqual([5, 5, 5, 3, 5, 5, 5, 3, 5, 5, 5, 3]);
    const epochs = [0, 4, 8].map((first) => rolloutsOf(minibatches.slice(first, first + 4).flat()));
    const all = [...batch.rollouts.keys()];
    for (const order of epochs) expect([...order].sort((a, b) => a - b)).toEqual(all);
    expect(new Set(epochs.map(String)).size).toBe(3);
  });

  test('the seed, the step and the epoch determine the order of minibatches', () => {
    const { minibatches } = plan({ epochs: 2 });
    const drawn = (key: number) => new CounterRandom(5, STREAMS.minibatches, key).permutation(18);
    expect(batch.step).toBe(4);
    // Eight keys per update. Another number changes the curves of all seeds.
    expect(rolloutsOf(minibatches.flat())).toEqual([...drawn(4 * 8), ...drawn(4 * 8 + 1)]);
    const shuffled = plan({ epochs: 2 }, { seed: 6 });
    expect(rolloutsOf(shuffled.minibatches.flat())).not.toEqual(rolloutsOf(minibatches.flat()));
  });

  test('no two epochs of any updates share an order key, up to the maximum number of epochs', () => {
    expect(MAX_EPOCHS).toBeLessThanOrEqual(ORDERS_AN_UPDATE);
    const keys = Array.from({ length: 20 }, (_, step) =>
      Array.from({ length: MAX_EPOCHS }, (_, epoch) => orderKey(step, epoch)),
    ).flat();
    expect(new Set(keys).size).toBe(20 * MAX_EPOCHS);
  });

  test('minibatches have one rollout each if there are fewer rollouts than minibatches', () => {
    const small = { ...batch, rollouts: batch.rollouts.slice(6, 9) };
    const { minibatches } = planOf(small, { ...CONTROLS, minibatches: 8 });
    expect(minibatches.map(({ length }) => length)).toEqual([1, 1, 1]);
  });
});

describe('sequences', () => {
  test('sequences under a turn rule refer each token to the advantage of its turn', () => {
    const { reference } = plan();
    expect(rolloutsOf(reference)).toEqual([...Array(16).keys()]);
    for (const [index, { tokens, credits, weights }] of reference.entries()) {
      const { turnOf, turns, tokens: rolloutTokens } = batch.rollouts[index];
      expect(tokens).toBe(rolloutTokens);
      turnOf.forEach((turn, at) => {
        expect(weights[at] > 0).toBe(turn >= 0);
        if (turn >= 0) expect(credits[at]).toBe(turns[turn].forestTurn);
      });
    }
  });

  test('sequences under a token rule refer each token to its index among the policy tokens', () => {
    const { critic } = plan({ rule: 'ppo-or' });
    expect(critic?.valued.length).toBe(batch.rollouts.length);
    const numbers = critic?.valued.flatMap(({ credits }, index) =>
      Array.from(credits).filter((_, at) => batch.rollouts[index].turnOf[at] >= 0),
    );
    expect(numbers).toEqual([...Array(batch.policyTokens).keys()]);
  });

  /** Returns the positions at which the critic computes values, as [rollout, token]. */
  const listPositions = (sequences: readonly Sequence[] = []) =>
    sequences.flatMap(({ weights }, index) =>
      Array.from(weights).flatMap((weight, at) => (weight > 0 ? [[rolloutsOf(sequences)[index], at]] : [])),
    );

  test.each([
    ['ppo-or', 'every token of the policy', (turnOf: Int32Array, at: number) => turnOf[at] >= 0],
    ['turn-ppo', 'the first token of a turn', (turnOf: Int32Array, at: number) => turnOf.indexOf(turnOf[at]) === at],
  ] as const)('under %s the critic computes a value before %s, and is trained on these values', (rule, _, hasValue) => {
    const { critic, minibatches } = plan({ rule, epochs: 2 });
    const expected = batch.rollouts.flatMap(({ turnOf }, rollout) =>
      Array.from(turnOf).flatMap((turn, at) => (turn >= 0 && hasValue(turnOf, at) ? [[rollout, at]] : [])),
    );
    expect(batch.policyTokens).toBeGreaterThan(batch.forest.parent.length);
    expect(listPositions(critic?.valued)).toEqual(expected);
    expect(critic?.minibatches.map(rolloutsOf)).toEqual(minibatches.map(rolloutsOf));
    // If the critic learns at every token, the sequences are packed once.
    expect(critic?.minibatches === minibatches).toBe(rule === 'ppo-or');
    const learned = critic?.minibatches.slice(0, 4).flatMap(listPositions) ?? [];
    const inOrder = ([firstRollout, first]: number[], [secondRollout, second]: number[]) =>
      firstRollout - secondRollout || first - second;
    expect(learned.sort(inOrder)).toEqual(expected);
    for (const sequences of critic?.minibatches ?? []) expect(weightOf(sequences)).toBeCloseTo(1, 6);
  });

  test('the weights of a minibatch have the sum 1, as a mean over tokens or over rollouts', () => {
    for (const { minibatches } of [plan({ aggregation: 'token-mean' }), plan({ aggregation: 'sequence-mean' })]) {
      for (const sequences of minibatches) expect(weightOf(sequences)).toBeCloseTo(1, 6);
    }
    const [first] = plan({ aggregation: 'token-mean' }).minibatches;
    const counted = first.flatMap(({ weights }) => Array.from(weights).filter((weight) => weight > 0));
    expect(new Set(counted).size).toBe(1);
  });
});

describe('ratios', () => {
  const sharesOf = (controls: Record<string, string | number>) => plan(controls).minibatches.flat();

  test('ratios are per token by default', () => {
    expect(sharesOf({}).every(({ shares }) => shares === undefined)).toBe(true);
    const { ratio: _, ...old } = CONTROLS as Record<string, string | number>;
    const { minibatches } = planOf(batch, old);
    expect(minibatches.flat().every(({ shares }) => shares === undefined)).toBe(true);
  });

  test.each(['grpo-or', 'ppo-or'])(
    'ratios per turn are shared by the tokens of each turn of a sequence, under %s',
    (rule) => {
      const sequences = sharesOf({ rule, ratio: 'turn' });
      for (const [index, rollout] of rolloutsOf(sequences).entries()) {
        expect(sequences[index].shares).toBe(batch.rollouts[rollout].turnOf);
      }
    },
  );

  test('ratios per sequence are shared by all tokens of a sequence', () => {
    for (const { tokens, shares } of sharesOf({ ratio: 'sequence' })) {
      expect(shares?.length).toBe(tokens.length);
      expect(new Set(Array.from(shares ?? [])).size).toBe(1);
    }
  });
});

describe('selected turns', () => {
  test('a plan without skipZero and filterUniform selects all turns', () => {
    const { selection, retained } = plan({ skipZero: 'off', filterUniform: 'off' });
    expect([selection, retained]).toEqual([undefined, 1]);
  });

  test('tied groups are in no minibatch with filterUniform', () => {
    const { minibatches, retained } = plan({ skipZero: 'off', filterUniform: 'on' });
    const learned = rolloutsOf(minibatches.flat()).sort((a, b) => a - b);
    expect(learned).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
    expect(retained).toBeCloseTo(shareOfTurns(learned), 12);
  });

  test('turns without an advantage are in no minibatch with skipZero, and count in the mean', () => {
    const { minibatches, selection, retained } = plan({ skipZero: 'on', filterUniform: 'off' });
    // The tied group is omitted, and in the other two groups the chains with the mean outcome 0.5.
    const learned = rolloutsOf(minibatches.flat()).sort((a, b) => a - b);
    const away = [...batch.rollouts.keys()].filter((index) => index >= 6 && OUTCOMES[index % 6] !== 0.5);
    expect(learned).toEqual(away);
    // All turns have the same number of tokens.
    const share = shareOfTurns(away);
    expect(share).toBeLessThan(0.5);
    expect(retained).toBeCloseTo(share, 12);
    expect(selection?.share).toBeCloseTo(share, 12);
    for (const sequences of minibatches) expect(weightOf(sequences)).toBeCloseTo(share, 6);
  });

  test('a plan has no minibatches if no turns remain', () => {
    const tied = { ...batch, groups: [batch.groups[0]], rollouts: batch.rollouts.slice(0, 6) };
    const isolated = { ...tied, forest: buildForest(tied.groups) };
    const { minibatches, retained } = planOf(isolated, { ...CONTROLS, filterUniform: 'on' });
    expect([minibatches, retained]).toEqual([[], 0]);
  });
});

test('a plan with a KL penalty measures KL on all rollouts', () => {
  expect(plan({ klCoef: 0.1 }).reference.length).toBe(18);
});

test('the policy waits for criticUpdates updates of its critic, and does not wait under a rule without a critic', () => {
  const token = { rule: 'ppo-or', criticUpdates: 3 };
  expect(plan(token, { criticUpdates: 2 }).learns).toBe(false);
  expect(plan(token, { criticUpdates: 3 }).learns).toBe(true);
  expect(plan({ criticUpdates: 3 }).learns).toBe(true);
  expect(plan().critic).toBeUndefined();
});

test('planUpdate is deterministic and does not change the batch', () => {
  const before = structuredClone(batch);
  const [firstPlan, secondPlan] = [plan({ epochs: 2, skipZero: 'on' }), plan({ epochs: 2, skipZero: 'on' })];
  expect(firstPlan).toEqual(secondPlan);
  expect(batch).toEqual(before);
});
