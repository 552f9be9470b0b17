import { describe, expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { usedCredit } from '../../../../src/engine/updatePlan.ts';
import { REPAIR_TURNS } from '../../../../src/environments/repair/index.ts';
import { REPO_TURNS } from '../../../../src/environments/repo/index.ts';
import { SEARCH_TURNS } from '../../../../src/environments/search/searchFacts.ts';
import type { Rollout, RolloutBatch, RolloutTurn } from '../../../../src/rollouts/rolloutBatch.ts';
import { decidingCredit, turnPay } from '../../../../src/training/update/updateMetrics.ts';

const SEARCH = 7;
const index = (tokens: readonly number[]) => tokens.indexOf(SEARCH);

/** Two rollouts of two turns: the question, turn 1, a document, turn 2. */
const rollouts = [
  { tokens: [1, 2, SEARCH, 3, 9, SEARCH], turnOf: [-1, 0, 0, 0, -1, 1], turns: [{ forestTurn: 0 }, { forestTurn: 1 }] },
  { tokens: [1, 4, 5, 9, 6], turnOf: [-1, 0, 0, -1, 1], turns: [{ forestTurn: 2 }, { forestTurn: 3 }] },
].map((rollout) => ({
  ...rollout,
  tokens: Uint32Array.from(rollout.tokens),
  turnOf: Int32Array.from(rollout.turnOf),
})) as unknown as Rollout[];

describe('decidingCredit', () => {
  test('decidingCredit under a token rule is the advantage of the deciding token, or the mean of a turn without one', () => {
    const tokens = Float32Array.of(10, 20, 60, 4, 1, 3, 8);
    const turns = Float32Array.of(30, 4, 2, 8);
    expect([...decidingCredit({ rollouts }, { turns, tokens }, index)]).toEqual([20, 4, 2, 8]);
    expect([...turns]).toEqual([30, 4, 2, 8]);
  });

  test('decidingCredit under a turn rule is the advantage of the turn', () => {
    const turns = Float32Array.of(1, 2, 3, 4);
    expect(decidingCredit({ rollouts }, { turns }, index)).toBe(turns);
  });
});

describe('usedCredit', () => {
  const batch = { rollouts, forest: { parent: [-1, 0, -1, 2] } } as unknown as RolloutBatch;
  const advantages = Float32Array.of(10, 20, 60, 4, 1, 3, 8);
  const values = Float32Array.of(1, 2, 3, 4, 5, 6, 7);

  test.each([
    ['ppo-or', [1, 2, 3, 4, 5, 6, 7]],
    ['turn-ppo', [1, 1, 1, 4, 5, 5, 7]],
  ])('usedCredit under %s has the critic values %j', (rule, expected) => {
    const used = usedCredit(batch, findRule(rule), advantages, values);
    expect([...(used.values ?? [])]).toEqual(expected);
    expect([...used.turns]).toEqual([30, 4, 2, 8]);
    expect([...values]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});

type Facts = Readonly<Record<string, number>>;
interface Episode {
  readonly first: Facts;
  readonly last?: Facts;
  readonly p: number;
}

/** Returns a batch of rollouts of two turns with the given facts. */
function episodes(...groups: readonly (readonly Episode[])[]): RolloutBatch {
  let turn = 0;
  const trajectories = groups.flatMap((members, group) =>
    members.map(({ first, last = {} }) => ({
      group,
      turns: [first, last].map((facts) => ({ facts, forestTurn: turn++ })),
    })),
  );
  const groupOffset = groups.map((_, group) => 2 * groups.slice(0, group).flat().length);
  const rollouts = trajectories.map(({ turns }, index) => ({ turns, toolProbability: groups.flat()[index].p }));
  return { trajectories, rollouts, forest: { groupOffset } } as unknown as RolloutBatch;
}

const retrieved = { toolUse: 1, attempted: 1, retrieval: 1 };
const outdated = { toolUse: 1, attempted: 1, retrieval: 0, outdated: 1 };
const missed = { toolUse: 1, attempted: 1, retrieval: 0 };
const malformed = { toolUse: 0, attempted: 1 };
const skipped = { toolUse: 0, attempted: 0 };

describe('turnPay', () => {
  test('turnPay reports the credit of first turns by result, under the active rule and under the compared rule', () => {
    const batch = episodes(
      [
        { first: retrieved, last: { answer: 1 }, p: 0.5 },
        { first: skipped, last: { answer: 1 }, p: 0.5 },
        { first: skipped, p: 0.5 },
      ],
      [
        { first: outdated, p: 0.5 },
        { first: missed, p: 0.5 },
        { first: malformed, p: 0.5 },
        { first: retrieved, p: 0.5 },
      ],
    );
    const advantages = Float32Array.of(1, 9, -0.5, 9, -0.25, 9, 0.5, 9, -1, 9, -2, 9, 0.75, 9);
    const compared = [
      [10, 0, 20, 0, 30, 0],
      [40, 0, 50, 0, 60, 0, 70, 0],
    ];
    expect(turnPay(SEARCH_TURNS, batch, { advantages, compared: (group) => compared[group] })).toMatchObject({
      ...{ retrievedCount: 2, retrievedCredit: 1.75, retrievedCompared: 80 },
      ...{ outdatedCount: 1, outdatedCredit: 0.5, outdatedCompared: 40 },
      ...{ missedCount: 1, missedCredit: -1, missedCompared: 50 },
      ...{ malformedCount: 1, malformedCredit: -2, malformedCompared: 60 },
      ...{ skippedRightCount: 1, skippedRightCredit: -0.5, skippedRightCompared: 20 },
      ...{ skippedWrongCount: 1, skippedWrongCredit: -0.25, skippedWrongCompared: 30 },
      tiedCount: 0,
    });
  });

  test('turnPay counts rollouts of groups whose first turns have no credit', () => {
    const batch = episodes(
      [{ first: retrieved, p: 0.9 }],
      [
        { first: retrieved, p: 0.9 },
        { first: skipped, p: 0.9 },
      ],
    );
    const pay = turnPay(SEARCH_TURNS, batch, {
      advantages: Float32Array.of(0, 3, 0, 0, 1, 0),
      compared: () => [0, 0, 0, 0],
    });
    expect(pay.tiedCount).toBe(1);
  });

  test('turnPay reports the push on the tool probability and its standard error', () => {
    const batch = episodes([
      { first: retrieved, p: 0.8 },
      { first: skipped, p: 0.8 },
      { first: retrieved, p: 0.5 },
    ]);
    // A (s - p): 1 * 0.2, -2 * -0.8, 4 * 0.5.
    const pulls = [0.2, 1.6, 2];
    const mean = (0.2 + 1.6 + 2) / 3;
    const slope = (0.16 + 0.16 + 0.25) / 3;
    const pay = turnPay(SEARCH_TURNS, batch, {
      advantages: Float32Array.of(1, 0, -2, 0, 4, 0),
      compared: () => [0, 0, 0, 0, 0, 0],
    });
    expect(pay.push).toBeCloseTo(slope * mean, 6);
    const variance = pulls.reduce((sum, pull) => sum + (pull - mean) ** 2, 0) / 3;
    expect(pay.pushNoise).toBeCloseTo(slope * Math.sqrt(variance / 3), 6);
    expect(pay.probabilityNoise).toBeCloseTo(Math.sqrt(0.02 / 3), 6);
  });

  test('turnPay reports push 0 without tool probabilities', () => {
    const batch = episodes([{ first: retrieved, p: 0.5 }]);
    const undecided = {
      ...batch,
      rollouts: batch.rollouts.map((rollout) => ({ ...rollout, toolProbability: undefined })),
    };
    const pay = turnPay(SEARCH_TURNS, undecided, { advantages: Float32Array.of(1, 0), compared: () => [0, 0] });
    expect(pay).toMatchObject({ push: 0, pushNoise: 0, probabilityNoise: 0 });
  });
});

type PartialTurn = Partial<Pick<RolloutTurn, 'facts' | 'action' | 'state' | 'solved' | 'validates'>>;

/**
 * Returns a batch with trajectories of the given turns.
 * @param paths [trajectories] indices of their turns in the forest
 * @param groups [trajectories] indices of their groups
 */
function batchOf(
  turns: readonly PartialTurn[],
  paths: readonly (readonly number[])[],
  groups: readonly number[],
): RolloutBatch {
  const rolloutTurns = turns.map((turn, forestTurn) => ({ facts: {}, ...turn, forestTurn }));
  const trajectories = paths.map((path, index) => ({
    group: groups[index],
    turns: path.map((turn) => rolloutTurns[turn]),
  }));
  const groupOffset = [...new Set(groups)].map((group) =>
    Math.min(...paths.filter((_, at) => groups[at] === group).flat()),
  );
  return { trajectories, rollouts: [], forest: { groupOffset } } as unknown as RolloutBatch;
}

const program = (passRate: number): PartialTurn => ({ facts: { passRate, solved: Number(passRate === 1) } });

describe('first programs and repairs', () => {
  // Group 0: turn 3 repairs program 0 and turn 4 does not, turns 5 and 6 do not repair program 1, and program 2 is
  // right. Group 1 has the programs 7 and 8.
  const tree = batchOf(
    [
      program(0.5),
      program(0.4),
      program(1),
      program(1),
      program(0.5),
      program(0.6),
      program(0.2),
      program(0),
      program(0),
    ],
    [[0, 3], [0, 4], [1, 5], [1, 6], [2], [7], [8]],
    [0, 0, 0, 0, 0, 1, 1],
  );
  const advantages = Float32Array.of(0.5, -1, 0.75, 2, -2, 0.25, -0.25, 0, 0);
  const compared = [
    [1, 2, 3, 4, 5, 6, 7],
    [8, 9],
  ];
  const nothing = { firstOnlyCount: 0, firstOnlyCredit: 0 };

  test('turnPay counts first programs and repairs by result, each once regardless of its number of rollouts', () => {
    expect(turnPay(REPAIR_TURNS, tree, { advantages, compared: (group) => compared[group] })).toEqual({
      ...{ firstPassedCount: 1, firstPassedCredit: 0.75, firstPassedCompared: 3 },
      ...{ firstRepairedCount: 1, firstRepairedCredit: 0.5, firstRepairedCompared: 1 },
      ...{ firstLostCount: 1, firstLostCredit: -1, firstLostCompared: 2 },
      ...{ firstOnlyCount: 2, firstOnlyCredit: 0, firstOnlyCompared: 17 },
      ...{ repairPassedCount: 1, repairPassedCredit: 2, repairPassedCompared: 4 },
      ...{ repairBetterCount: 1, repairBetterCredit: 0.25, repairBetterCompared: 6 },
      ...{ repairSameCount: 1, repairSameCredit: -2, repairSameCompared: 5 },
      ...{ repairWorseCount: 1, repairWorseCredit: -0.25, repairWorseCompared: 7 },
      // Group 1, in which no turn has credit.
      tiedCount: 2,
    });
  });

  test('turnPay reports credit 0 for turns that the update omits or that the compared rule prunes', () => {
    const learned = Uint8Array.of(1, 1, 0, 1, 1, 1, 1, 1, 1);
    const other = () => [1, 2, 3, NaN, 5, 6, 7];
    const pay = turnPay(
      REPAIR_TURNS,
      batchOf([program(0.5), program(0.4), program(1), program(1)], [[0, 3], [1], [2]], [0, 0, 0]),
      {
        advantages: advantages.subarray(0, 4),
        compared: other,
        learned,
      },
    );
    expect(pay).toMatchObject({ firstPassedCount: 1, firstPassedCredit: 0, firstPassedCompared: 0 });
    expect(pay).toMatchObject({ repairPassedCount: 1, repairPassedCredit: 2, repairPassedCompared: 0 });
    expect(pay).toMatchObject({ firstOnlyCount: 1, firstOnlyCredit: -1, tiedCount: 0 });
    const leftOut = turnPay(REPAIR_TURNS, tree, {
      advantages,
      compared: (group) => compared[group],
      learned: new Uint8Array(9),
    });
    expect(leftOut).toMatchObject({ ...nothing, firstOnlyCount: 2, firstRepairedCredit: 0, tiedCount: 9 });
  });
});

describe('turns of the Repository environment', () => {
  const step = (action: string, facts: PartialTurn['facts'] = {}, more: PartialTurn = {}): PartialTurn => ({
    action,
    facts,
    ...more,
  });
  const turns = [
    step('view:full@core.py', { shown: 1 }),
    step('view:full@core.py', { shown: 1 }),
    step('modify:replace:0001@core.py', { changed: 1, spoiled: 1 }),
    step('view:full@core.py', { shown: 1 }),
    step('modify:replace:0002@core.py', { changed: 1, fixed: 1 }),
    step('test@tests:ok', {}, { validates: true }),
    step('test@tests:ok'),
    step('finish', { finished: 1 }, { solved: true }),
    step('think'),
    step('modify:replace:0003@core.py', { changed: 1 }),
    step('view:x@core.py:error', { invalid: 1 }),
    step('view:x@core.py:error', { invalid: 1 }),
    step('finish', { finished: 1 }, { solved: false }),
  ];
  const batch = batchOf(
    turns,
    [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [8, 9, 10, 11, 12],
    ],
    [0, 0],
  );
  const advantages = Float32Array.from(turns, (_, turn) => turn + 1);
  const pay = turnPay(REPO_TURNS, batch, { advantages, compared: () => turns.map((_, turn) => -turn) });
  const sums = (name: string) => ['Count', 'Credit', 'Compared'].map((suffix) => pay[`${name}${suffix}`]);

  test.each([
    ['fixed', [1, 5, -4]],
    ['ended', [1, 8, -7]],
    ['checked', [1, 6, -5]],
    // Steps 0 and 3: between them the file changed.
    ['shown', [2, 1 + 4, -3]],
    ['spoiled', [1, 3, -2]],
    ['gaveUp', [1, 13, -12]],
    ['invalid', [2, 11 + 12, -10 - 11]],
    ['swapped', [1, 10, -9]],
    // Steps 1 and 6: a view and a test that are repeated without a change in between.
    ['repeated', [2, 2 + 7, -1 - 6]],
    ['remainingStep', [1, 9, -8]],
  ])('turnPay reports count, credit and compared credit of turns of the kind %s', (name, expected) => {
    expect(sums(name)).toEqual(expected);
  });

  test('turnPay reports the size of advantages in states that several rollouts visit', () => {
    const states = ['a', 'b', 'a', 'a', 'c', 'b'].map((state) => ({ ...step('think'), state }));
    const advantages = Float32Array.of(1, -2, 4, -8, 16, -32);
    // Group 0 has the rollouts 0, 1, 2 and 3, 4. Group 1 has one rollout, which visits state b too.
    const meeting = batchOf(states, [[0, 1, 2], [3, 4], [5]], [0, 0, 1]);
    const compared = (group: number) => [[-1, 1, -1, 1, -1], [1]][group] ?? [];
    const all = turnPay(REPO_TURNS, meeting, { advantages, compared });
    // Turns 0, 2 and 3 are in state a.
    expect(all).toMatchObject({ metCount: 3, metSize: 1 + 4 + 8, metComparedSize: 3, size: 63, comparedSize: 6 });
    const once = batchOf(states, [[0, 1, 2], [4], [5]], [0, 0, 1]);
    // A rollout that visits a state twice meets no other rollout.
    expect(turnPay(REPO_TURNS, once, { advantages, compared })).toMatchObject({ metCount: 0, metSize: 0 });
  });

  test('turnPay counts every turn of the Repository environment once', () => {
    const counts = Object.entries(pay).filter(
      ([key]) => key.endsWith('Count') && key !== 'tiedCount' && key !== 'metCount',
    );
    expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(turns.length);
    expect(pay).not.toHaveProperty('push');
  });
});
