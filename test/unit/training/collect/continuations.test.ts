import { describe, expect, test } from 'vitest';
import {
  computeRlooAdvantages,
  cosine,
  largeBatch,
  relativeDistance,
} from '../../../../src/experiments/truth/measureGradients.ts';
import { measureTruth } from '../../../../src/experiments/truth/measureTruth.ts';
import { correlation } from '../../../../src/experiments/truth/trueAdvantages.ts';
import {
  type ContinuationPlan,
  continuations,
  discountedSum,
  histories,
  turnRewards,
} from '../../../../src/training/collect/continuations.ts';
import { estimateStateValues } from '../../../../src/training/collect/ruleInputs.ts';
import type { Return, TruthPlan } from '../../../../src/training/data/truthReport.ts';
import { CertainGenerator, createSmallTrainer, PROMPTS, REPLIES, SEQUENCES } from '../smallTrainer.ts';

const OUTCOME: Return = { kind: 'outcome', gamma: 1, bonus: 0 };
const REWARDS: Return = { kind: 'rewards', gamma: 0.5, bonus: 0 };

async function sampleGroup({ trainer }: ReturnType<typeof createSmallTrainer>, task = 2) {
  const batch = await trainer.play([task], 0, { branching: [6, 1] });
  return { batch, ...(await histories(trainer.environment, task, {}, batch, 0)) };
}

describe('histories', () => {
  test('histories returns one history per turn, shared by rollouts with the same beginning', async () => {
    const { batch, starts, before } = await sampleGroup(createSmallTrainer(REPLIES));
    expect(before.map(({ length }) => length)).toEqual(batch.trajectories.map(({ turns }) => turns.length));
    expect(before.map(([first]) => first)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(starts[0]).toMatchObject({ tokens: [22, 40], turn: 0 });
    before.forEach((rolloutStarts, rollout) => {
      rolloutStarts.forEach((start, turn) => {
        const { tokens } = batch.rollouts[rollout];
        expect(starts[start]).toMatchObject({ tokens: [...tokens.subarray(0, 2 + 5 * turn)], turn });
      });
    });
    const certain = await sampleGroup(createSmallTrainer(REPLIES, new CertainGenerator(SEQUENCES)));
    expect([certain.starts.length, certain.before]).toEqual([3, Array(6).fill([0, 1, 2])]);
  });

  test('the history of a turn with a fresh prompt is this prompt', async () => {
    const { batch, starts, before } = await sampleGroup(createSmallTrainer(PROMPTS));
    const long = batch.trajectories.findIndex(({ turns }) => turns.length > 1);
    const second = starts[before[long][1]];
    expect(second.tokens.slice(0, 2)).toEqual([22, 41]);
    expect([second.tokens.length, second.turn]).toEqual([3, 1]);
  });

  test('histories throws an error if episodes cannot be forked or differ when they are repeated', async () => {
    const { trainer } = createSmallTrainer({ ...REPLIES, forks: false });
    const batch = await trainer.play([2], 0, { branching: [2, 1] });
    await expect(histories(trainer.environment, 2, {}, batch, 0)).rejects.toThrow('"little" cannot be forked');
    const mismatched = createSmallTrainer(REPLIES).trainer.environment;
    await expect(histories(mismatched, 1, {}, batch, 0)).rejects.toThrow(/^turn 1 was "task 2.*" and is "task 1/);
  });
});

describe('continuations', () => {
  test('continuations of a deterministic policy have the exact return, at any discount', async () => {
    const world = createSmallTrainer(REPLIES, new CertainGenerator(SEQUENCES));
    const { starts, batch } = await sampleGroup(world);
    const plan: ContinuationPlan = { starts, count: 5, counts: OUTCOME, sequences: 1, key: 9 };
    expect(await continuations(world.trainer, plan)).toEqual([Array(5).fill(3), Array(5).fill(3), Array(5).fill(3)]);
    // Turn rewards are 0, 1 and 2, and their components do not contain the outcome: 0 + 1/2 + 2/4, 1 + 2/2, 2.
    const discounted = await continuations(world.trainer, { ...plan, counts: REWARDS });
    expect(discounted).toEqual([Array(5).fill(1), Array(5).fill(2), Array(5).fill(2)]);
    expect(turnRewards(batch, batch.trajectories[0], REWARDS)).toEqual([0, 1, 2]);
    expect(discountedSum([0, 1, 2], 0.5)).toBe(1);
  });

  test('continuations fill their batches, with later turns first', async () => {
    const world = createSmallTrainer(REPLIES);
    const { starts } = await sampleGroup(world);
    world.requests.length = 0;
    const returns = await continuations(world.trainer, {
      ...{ starts, count: 23, counts: OUTCOME, sequences: 1, key: 9 },
    });
    expect(returns?.map(({ length }) => length)).toEqual(starts.map(() => 23));
    const first = world.requests.filter((requests) => requests.every(({ cached }) => cached === 0));
    const sizes = first.map(({ length }) => length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(23 * starts.length);
    expect(sizes.slice(0, -1).every((size) => size === SEQUENCES)).toBe(true);
    const lengths = first.flatMap((requests) => requests.map(({ length }) => length));
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    // Batches have different draws, so the returns from one history take all five values.
    expect(new Set(returns?.[0]).size).toBe(5);
  });

  test('cancelled continuations stop after the current batch', async () => {
    const world = createSmallTrainer(REPLIES);
    const { starts } = await sampleGroup(world);
    const stop = new AbortController();
    let batchCount = 0;
    const plan = { starts, count: 60, counts: OUTCOME, sequences: 1, key: 0 };
    const stopped = continuations(world.trainer, plan, stop.signal, () => ++batchCount === 2 && stop.abort());
    const returns = await stopped;
    expect([batchCount, returns.flat().length]).toEqual([2, 2 * SEQUENCES]);
    // Continuations of the latest turn are sampled first and are complete.
    const [last] = starts
      .map(({ turn }, at) => [turn, at])
      .sort(([a], [b]) => b - a)[0]
      .slice(1);
    expect(returns[last]).toHaveLength(60);
  });
});

describe('measureTruth', () => {
  const plan: TruthPlan = {
    ...{ rules: ['grpo-or', 'grpo-step'], groups: 2, continuations: 400, split: 'train', ties: 'keep' },
    ...{ gradientGroups: 0, counts: OUTCOME },
  };

  test('true advantages of a deterministic policy are 0, because no other action is sampled', async () => {
    const { trainer } = createSmallTrainer(REPLIES, new CertainGenerator(SEQUENCES));
    const report = await measureTruth(trainer, { ...plan, continuations: 3 });
    const turns = report?.groups.flatMap((group) => group.turns) ?? [];
    expect(turns.length).toBe(2 * 6 * 3);
    expect(turns.every(({ advantage, before }) => advantage.mean === 0 && before.mean === 3)).toBe(true);
    expect(report?.rules.every(({ correlation }) => Number.isNaN(correlation.value))).toBe(true);
    await expect(measureTruth(trainer, { ...plan, ties: 'skip' })).rejects.toThrow(
      'of 80 groups 0 ended with different',
    );
  });

  test('measured values of a policy with uniform tokens from 0 to 4 agree with exact values', async () => {
    // The outcome is the first token of the last turn, which is the third turn or the first turn with a 0 in it.
    // A turn continues if its three tokens have no 0 (probability 64/125); its first token then has the mean 2.5.
    // V2 = 2. V1 is the sum of 2 - (64/125) 2.5 from turns that end and of (64/125) V2 from turns that continue.
    const goOn = 64 / 125;
    const [third, ends] = [2, 2 - goOn * 2.5];
    const second = ends + goOn * third;
    const values = [ends + goOn * second, second, third];
    const report = await measureTruth(createSmallTrainer(REPLIES).trainer, plan);
    const turns = report?.groups.flatMap((group) => group.turns) ?? [];
    expect([report?.groups.length, report?.drawn, report?.resampled]).toEqual([2, 2, 'groups']);
    for (const { turn, before, after, reward, advantage } of turns) {
      expect(Math.abs(before.mean - values[turn])).toBeLessThan(4.5 * before.error);
      if (after) expect(Math.abs(after.mean - values[turn + 1])).toBeLessThan(4.5 * after.error);
      expect(advantage.mean).toBeCloseTo((after?.mean ?? reward) - before.mean, 12);
      // The standard deviation of a uniform integer from 0 to 4 is 1.41.
      expect(before.error).toBeGreaterThan(1 / Math.sqrt(402));
      expect(before.error).toBeLessThan(2 / Math.sqrt(402));
    }
    expect(turns.some(({ after }) => after)).toBe(true);
    const truth = turns.map(({ advantage }) => advantage.mean);
    for (const { rule, correlation: measured, ahead } of report?.rules ?? []) {
      const advantages = turns.map(({ rules }) => rules[rule] as number);
      expect(measured.value).toBeCloseTo(correlation(advantages, truth), 12);
      expect(measured.value).toBeGreaterThan(0.3);
      expect(ahead.low).toBeLessThanOrEqual(ahead.value);
    }
    // GRPO-OR assigns one advantage to all turns of a rollout: its outcome relative to the group.
    for (const { turns, outcomes } of report?.groups ?? []) {
      const best = outcomes.indexOf(Math.max(...outcomes));
      const credit = turns.filter(({ rollout }) => rollout === best).map(({ rules }) => rules['grpo-or'] as number);
      expect([new Set(credit).size, credit[0] > 0]).toEqual([1, true]);
    }
  });

  test('measureTruth compares the gradients of groups with the gradient of a large batch', async () => {
    const hooks = { progress: (done: number, all: number) => progress.push(`${done} of ${all}`) };
    const progress: string[] = [];
    const short = { ...plan, continuations: 50, gradientGroups: 600 };
    const report = await measureTruth(createSmallTrainer(REPLIES).trainer, short, hooks);
    const { gradients, groups } = report ?? {};
    expect(gradients?.groups).toBe(600);
    expect(gradients?.rules.map(({ rule, cosines }) => [rule, cosines.length])).toEqual([
      ['grpo-or', 2],
      ['grpo-step', 2],
      ['truth', 2],
    ]);
    // The gradients of the two halves of the large batch agree.
    expect(gradients?.halves).toBeGreaterThan(0.9);
    for (const { cosine, cosines } of gradients?.rules ?? []) {
      expect(cosine.value).toBeCloseTo((cosines[0] + cosines[1]) / 2, 12);
      expect(cosines.every((value) => Math.abs(value) <= 1)).toBe(true);
    }
    // The rules have another scale than the measured advantages, which have the distance 0 from themselves.
    const [or, step, truth] = gradients?.rules.map(({ error }) => error) ?? [];
    expect([or > 0, step > 0, truth]).toEqual([true, true, 0]);
    expect(groups?.length).toBe(2);
    expect(progress.at(-1)).toBe(`${progress.length} of ${progress.length}`);
  });

  test('largeBatch divides groups into two or more parts', () => {
    expect([largeBatch(0, 8), largeBatch(5, 8), largeBatch(17, 8)]).toEqual([[], [3, 2], [6, 6, 5]]);
  });

  test('computeRlooAdvantages omits the rollout from its baseline', async () => {
    const batch = await createSmallTrainer(REPLIES).trainer.play([1], 3, { branching: [3, 1] });
    const ends = batch.trajectories.map(({ turns }) => turns.at(-1)?.outcome ?? NaN);
    const advantages = computeRlooAdvantages(batch, OUTCOME);
    batch.trajectories.forEach(({ turns }, rollout) => {
      const remaining = ends.filter((_, index) => index !== rollout);
      for (const { forestTurn } of turns) {
        expect(advantages[forestTurn]).toBeCloseTo(ends[rollout] - (remaining[0] + remaining[1]) / 2, 12);
      }
    });
  });

  test('relativeDistance equals a calculation by hand', () => {
    // (3, 0) - (3, 4) has the norm 4, and (3, 4) the norm 5.
    expect(relativeDistance([3, 0], [3, 4])).toBeCloseTo(4 / 5, 12);
    expect([relativeDistance([6, 8], [3, 4]), relativeDistance([0, 0], [3, 4])]).toEqual([1, 1]);
    expect(relativeDistance([1, 1], [0, 0])).toBeNaN();
  });

  test('cosine equals a calculation by hand', () => {
    expect(cosine([3, 4], [4, 3])).toBeCloseTo(24 / 25, 12);
    expect([cosine([1, 0], [-2, 0]), cosine([0, 0], [1, 1])]).toEqual([-1, 0]);
  });

  test('a cancelled measureTruth returns its complete groups, or undefined without one', async () => {
    const stop = new AbortController();
    const hooks = { signal: stop.signal, progress: (done: number, all: number) => done === all - 1 && stop.abort() };
    const report = await measureTruth(createSmallTrainer(REPLIES).trainer, plan, hooks);
    expect([report?.groups.length, report?.resampled]).toEqual([1, 'rollouts']);
    stop.abort();
    expect(await measureTruth(createSmallTrainer(REPLIES).trainer, plan, { signal: stop.signal })).toBeUndefined();
  });

  test('measureTruth throws an error for a rule with token advantages', async () => {
    await expect(measureTruth(createSmallTrainer(REPLIES).trainer, { ...plan, rules: ['mt-ppo'] })).rejects.toThrow(
      'under the rule mt-ppo each token has',
    );
  });
});

const CONTROLS = { groupSize: 6, vineContinuations: 3, vineGamma: 1 };

test('the state value of a deterministic policy is its outcome, discounted by the remaining turns', async () => {
  const { trainer } = createSmallTrainer(REPLIES, new CertainGenerator(SEQUENCES));
  const batch = await trainer.play([2, 1], 0, { branching: [6, 1] });
  const computeValues = async (vineGamma: number) => {
    const sampler = { ...trainer, controls: { ...CONTROLS, vineGamma } };
    const { groups, forest } = await estimateStateValues(sampler, batch, 0);
    expect(forest.groups).toBe(groups);
    return groups.map(({ turns }) => turns.map(({ stateValue }) => stateValue));
  };
  const outcomes = batch.trajectories.map(({ turns }) => turns.at(-1)?.outcome);
  const full = await computeValues(1);
  const half = await computeValues(0.5);
  batch.trajectories.forEach(({ group, turns }, index) => {
    turns.forEach(({ forestTurn }, turn) => {
      const at = forestTurn - batch.forest.groupOffset[group];
      expect(full[group][at]).toBe(outcomes[index]);
      expect(half[group][at]).toBe((outcomes[index] ?? 0) * 0.5 ** (turns.length - 1 - turn));
    });
  });
});

test('rollouts with the same beginning share state values, and the draws depend on the key', async () => {
  const { trainer, requests } = createSmallTrainer(REPLIES);
  const batch = await trainer.play([2, 1], 0, { branching: [6, 1] });
  const sampler = { ...trainer, controls: CONTROLS };
  requests.length = 0;
  const sampled = await estimateStateValues(sampler, batch, 4);
  // Each beginning has three episodes. All first turns of a group have the same beginning and value.
  const firsts = new Set(
    sampled.groups.map(
      ({ turns }) => new Set(turns.filter(({ parent }) => parent < 0).map(({ stateValue }) => stateValue)).size,
    ),
  );
  expect(firsts).toEqual(new Set([1]));
  const turns = batch.trajectories.reduce((sum, trajectory) => sum + trajectory.turns.length, 0);
  const started = requests
    .filter((all) => all.every(({ cached }) => cached === 0))
    .reduce((sum, all) => sum + all.length, 0);
  expect(started % 3).toBe(0);
  expect(started / 3).toBeLessThan(turns);
  const again = await estimateStateValues(sampler, batch, 4);
  expect(again.groups).toEqual(sampled.groups);
  expect((await estimateStateValues(sampler, batch, 5)).groups).not.toEqual(sampled.groups);
  // The sampled batch does not change.
  expect(batch.groups[0].turns[0].stateValue).toBeUndefined();
});
