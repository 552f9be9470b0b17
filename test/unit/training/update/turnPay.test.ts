import { describe, expect, test } from 'vitest';
import { SEARCH_TURNS } from '../../../../src/environments/search/searchTurns.ts';
import type { RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { turnPay } from '../../../../src/training/update/updateMetrics.ts';

type Facts = Readonly<Record<string, number>>;
interface Episode {
  readonly first: Facts;
  readonly last?: Facts;
  readonly p: number;
}

/** Returns a batch of rollouts of two turns with the given facts. */
function batchOf(...groups: readonly (readonly Episode[])[]): RolloutBatch {
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
    const batch = batchOf(
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
    const batch = batchOf(
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
    const batch = batchOf([
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
    const batch = batchOf([{ first: retrieved, p: 0.5 }]);
    const undecided = {
      ...batch,
      rollouts: batch.rollouts.map((rollout) => ({ ...rollout, toolProbability: undefined })),
    };
    const pay = turnPay(SEARCH_TURNS, undecided, { advantages: Float32Array.of(1, 0), compared: () => [0, 0] });
    expect(pay).toMatchObject({ push: 0, pushNoise: 0, probabilityNoise: 0 });
  });
});
