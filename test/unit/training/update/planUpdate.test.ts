import { beforeAll, describe, expect, test } from 'vitest';
import type { CreditRule } from '../../../../src/credit/rule.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../../src/parameters/parameters.ts';
import type { Sequence } from '../../../../src/policy/batch.ts';
import { CounterRandom, STREAMS } from '../../../../src/random/counter.ts';
import { buildForest, type Group } from '../../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import {
  ExactCredit,
  MAX_EPOCHS,
  ORDERS_AN_UPDATE,
  orderKey,
  planUpdate,
  selectTurns,
} from '../../../../src/training/update/planUpdate.ts';
import { groupView } from '../../../../src/training/worker/groupViews.ts';
import { expectClose } from '../../../vectorFile.ts';
import { CONTEXT, collect, createSmallWorld } from '../collectWorld.ts';

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

/** Returns a group of chains of one or two turns with 10 tokens each. @param chains [chains][turns] rewards */
const group = (id: string, chains: readonly (readonly number[])[]): Group => ({
  id,
  turns: chains.flatMap((outcomes, chain) => {
    const first = chains.slice(0, chain).reduce((sum, { length }) => sum + length, 0);
    return outcomes.map((outcome, turn) => ({
      parent: turn === 0 ? -1 : first,
      reward: outcome,
      ...(turn === outcomes.length - 1 ? { outcome } : {}),
      solved: outcome === 1,
      tokens: 10,
    }));
  }),
});
const batchOf = (...groups: Group[]) => ({ groups, forest: buildForest(groups) }) as unknown as RolloutBatch;

const MIXED = group('mixed', [[1], [0, 1], [0, 0]]);
const SOLVED = group('solved', [[1], [0, 1], [1]]);
const ON = { skipZero: 'on', filterUniform: 'off', klCoef: 0, entropyCoef: 0 };
const OFF = { ...ON, skipZero: 'off' };
const select = (batch: RolloutBatch, rule: string, controls: Record<string, number | string>) => {
  const parameters = { maxTurns: 2, gamma: 1, kappa: 2 };
  const creditRule = findRule(rule);
  const creditOf = (group: number) => creditRule.credit(batch.groups[group] as Group, parameters);
  const selection = selectTurns(batch, creditRule, creditOf, controls);
  return selection && { turns: [...selection.turns], share: selection.share };
};

test('selectTurns returns undefined by default, which selects every turn', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', OFF)).toBeUndefined();
  expect(select(batchOf(MIXED), 'grpo-mt', { klCoef: 0, entropyCoef: 0 })).toBeUndefined();
});

test('selectTurns with skipZero omits turns without an advantage, and these count in the mean', () => {
  // Five turns of a mixed group and four turns of a solved group, ten tokens each: 50 of 90 tokens.
  const selection = select(batchOf(MIXED, SOLVED), 'grpo-mt', ON);
  expect(selection?.turns).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0]);
  expect(selection?.share).toBeCloseTo(50 / 90);
});

test('selectTurns selects every turn with a KL or entropy coefficient', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, klCoef: 0.1 })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, entropyCoef: 0.1 })).toBeUndefined();
});

test('selectTurns selects every turn with a mean per sequence or a ratio per sequence', () => {
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, aggregation: 'sequence-mean' })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, ratio: 'sequence' })).toBeUndefined();
  expect(select(batchOf(MIXED, SOLVED), 'grpo-mt', { ...ON, aggregation: 'token-mean', ratio: 'turn' })).toBeDefined();
});

test('selectTurns with filterUniform omits tied groups, and these do not count in the mean', () => {
  const filtered = { ...OFF, filterUniform: 'on' };
  expect(select(batchOf(SOLVED, MIXED), 'grpo-mt', filtered)).toEqual({
    turns: [0, 0, 0, 0, 1, 1, 1, 1, 1],
    share: 1,
  });
  // All groups are tied, so no turn is selected.
  expect(select(batchOf(SOLVED, SOLVED), 'grpo-mt', filtered)).toEqual({ turns: new Array(8).fill(0), share: 1 });
  // The group is omitted although its turn rewards differ.
  expect(select(batchOf(SOLVED), 'rloo', filtered)?.turns).toEqual([0, 0, 0, 0]);
});

test('selectTurns omits pruned turns, and these do not count in the mean', () => {
  const rewards = [1, 0, 0.9, 0.1];
  const roots: Group = {
    id: 'tree',
    turns: rewards.map((reward) => ({ parent: -1, reward, outcome: reward, solved: reward === 1, tokens: 10 })),
  };
  const rule = findRule('murphy-mars');
  const advantage = rule.credit(roots, { maxTurns: 2, intra: '2' }).advantage;
  expect([...advantage].filter(Number.isNaN).length).toBe(2);
  const selection = selectTurns(batchOf(roots), rule, () => rule.credit(roots, { maxTurns: 2, intra: '2' }), OFF);
  expect([...(selection?.turns ?? [])]).toEqual([...advantage].map((value) => (Number.isNaN(value) ? 0 : 1)));
  expect(selection?.share).toBe(1);
});

test('selectTurns selects every turn under a rule with a critic', () => {
  const all = { ...ON, filterUniform: 'on' };
  expect(select(batchOf(SOLVED), 'ppo-or', all)).toBeUndefined();
});

const WORLD_OPTIONS = { next: 'reply', turns: 3 } as const;
const CREDIT_CONTROLS = { rule: 'grpo-or', profile: 'turnwise', skipZero: 'on', klCoef: 0, entropyCoef: 0 };

/** Returns a rule that records every request for the credit of a group. */
function counted(name: string): { rule: CreditRule; calls: string[] } {
  const rule = findRule(name);
  const calls: string[] = [];
  const credit: CreditRule['credit'] = (group, parameters) => {
    calls.push(group.id);
    return rule.credit(group, parameters);
  };
  return { rule: { ...rule, credit }, calls };
}

test('ExactCredit computes the credit of a group once per rule, at the first request', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [4, 1]);
  const exact = new ExactCredit(batch, CREDIT_CONTROLS, 3);
  const [first, second] = [counted('grpo-or'), counted('rloo')];
  expect(exact.of(1, first.rule).advantage).toEqual(findRule('grpo-or').credit(batch.groups[1], {}).advantage);
  expect(exact.of(1, first.rule)).toBe(exact.of(1, first.rule));
  expect(first.calls).toEqual([batch.groups[1].id]);
  exact.of(0, first.rule);
  exact.of(1, second.rule);
  exact.of(0, first.rule);
  expect(first.calls).toEqual([batch.groups[1].id, batch.groups[0].id]);
  expect(second.calls).toEqual([batch.groups[1].id]);
});

test('a rule for trajectories reads each rollout of a tree, and a turn has the mean advantage of its rollouts', () => {
  // Outcomes 1, 0, 0, 1: mean 1/2, std sqrt(1/3); A = +-0.86603. Turn 0 is in the rollouts that end in 1 and 0, turn 3
  // in the rollouts that end in 0 and 1.
  const turns = [
    { parent: -1, reward: 0 },
    { parent: 0, reward: 0, outcome: 1 },
    { parent: 0, reward: 0, outcome: 0 },
    { parent: -1, reward: 0 },
    { parent: 3, reward: 0 },
    { parent: 3, reward: 0, outcome: 1 },
    { parent: 4, reward: 0, outcome: 0 },
  ];
  const exact = new ExactCredit({ groups: [{ id: 'tree', turns }] }, CREDIT_CONTROLS, 3);
  const { rule, calls } = counted('grpo-or');
  const A = 0.5 / Math.sqrt(1 / 3);
  expectClose(exact.advantages(0, rule), [0, A, -A, 0, -A, A, -A], 1e-5);
  expect(exact.advantages(0, rule)).toBe(exact.advantages(0, rule));
  expect(calls).toEqual(['tree']);
  const exactRule = findRule('mt-grpo-exact');
  expect(exact.advantages(0, exactRule)).toBe(exact.of(0, exactRule).advantage);
});

test('parametersOf returns the parameters of a rule from the controls, and maxTurns from the environment', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [4, 1]);
  const exact = new ExactCredit(batch, { ...CREDIT_CONTROLS, rlooScale: 'std' }, 3);
  expect(exact.parametersOf(findRule('rloo'))).toEqual({ scale: 'std' });
  expect(exact.parametersOf(findRule('murphy-mars'))).toEqual({ profile: 'turnwise', maxTurns: 3 });
});

test('a group view shows the credit that the plan of the update computed', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [4, 1]);
  const exact = new ExactCredit(batch, CREDIT_CONTROLS, 3);
  planUpdate(batch, CREDIT_CONTROLS, exact, { seed: 1, context: CONTEXT, criticUpdates: 0 });
  const planned = batch.groups.map((_, group) => exact.of(group, findRule('grpo-or')));
  const credit = { turns: new Float32Array(batch.forest.parent.length) };
  const view = groupView(
    { batch, controls: CREDIT_CONTROLS, exact, credit },
    2,
    createSmallWorld(WORLD_OPTIONS) as never,
  );
  const displayed = view.rollouts.flatMap(({ turns }) => turns.map(({ outcomeOnlyAdvantage }) => outcomeOnlyAdvantage));
  expect(displayed).toEqual([...planned[2].advantage]);
  expect(exact.of(2, findRule('grpo-or'))).toBe(planned[2]);
});

test('outcome-only credit is NaN for a tree of prompts', async () => {
  const worldOptions = { next: 'prompt', turns: 2 } as const;
  const { batch } = await collect(worldOptions, [2, 2], { tasks: 1 });
  const controls = { rule: 'murphy-mars' };
  const exact = new ExactCredit(batch, controls, 2);
  const credit = { turns: new Float32Array(batch.forest.parent.length) };
  const view = groupView({ batch, controls, exact, credit }, 0, createSmallWorld(worldOptions) as never);
  const displayed = view.rollouts.flatMap(({ turns }) => turns.map(({ outcomeOnlyAdvantage }) => outcomeOnlyAdvantage));
  expect(displayed.every(Number.isNaN)).toBe(true);
  expect(view.rollouts.length).toBe(batch.rollouts.length);
});

test('a group view of a tree of replies shows every rollout with all of its turns', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [3, 3, 1]);
  const group = batch.trajectories.find(({ turns }) => turns.length === 3)?.group ?? NaN;
  const controls = { ...CREDIT_CONTROLS, rule: 'mt-grpo-exact' };
  const exact = new ExactCredit(batch, controls, 3);
  const credit = { turns: Float32Array.from(batch.forest.parent, (_, turn) => turn) };
  const view = groupView({ batch, controls, exact, credit }, group, createSmallWorld(WORLD_OPTIONS) as never);
  const trajectories = batch.trajectories.filter((trajectory) => trajectory.group === group);
  const first = batch.forest.groupOffset[group];
  expect(view.rollouts.map(({ turns }) => turns.map(({ forestTurn }) => forestTurn + first))).toEqual(
    trajectories.map(({ turns }) => turns.map(({ forestTurn }) => forestTurn)),
  );
  expect(view.rollouts.map(({ outcome }) => outcome)).toEqual(trajectories.map(({ turns }) => turns.at(-1)?.outcome));
  for (const { tokens, turns } of view.rollouts) {
    for (const position of turns.keys()) {
      const written = tokens.filter(({ turn }) => turn === position);
      expect(written.length).toBeGreaterThan(0);
      expect(written.every(({ logProb }) => logProb !== null)).toBe(true);
    }
    for (const { outcomeOnlyAdvantage, forestTurn } of turns) {
      expect(outcomeOnlyAdvantage).toBe(exact.advantages(group, findRule('grpo-or'))[forestTurn]);
    }
  }
});
