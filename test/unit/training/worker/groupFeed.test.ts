import { beforeEach, describe, expect, test } from 'vitest';
import { hasEqualOutcomes } from '../../../../src/rollouts/flatGroups.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import type { SampledBatch } from '../../../../src/training/collect/collector.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { ExactCredit } from '../../../../src/training/update/planUpdate.ts';
import { GroupFeed, sampleTie, sampleUntied, turnRewardRange } from '../../../../src/training/worker/groupFeed.ts';
import { createSmallTrainer, REPLIES } from '../smallTrainer.ts';

const { trainer } = createSmallTrainer(REPLIES);
const { environment } = trainer;
const CONTROLS = { rule: 'grpo-or' };

/** Returns a group with the given outcomes of its rollouts. */
function setOutcomes(group: Group, outcomes: readonly number[]): Group {
  let next = 0;
  const last = new Set(group.turns.keys());
  for (const { parent } of group.turns) last.delete(parent);
  const turns = group.turns.map((turn, at) =>
    last.has(at) ? { ...turn, outcome: outcomes[next++ % outcomes.length] as number } : turn,
  );
  return { ...group, turns };
}

/** Returns a batch of four groups, of which only the groups in `untied` are not tied. */
async function batchOf(step: number, untied: readonly number[]): Promise<SampledBatch> {
  const batch = await trainer.play([0, 1, 2, 3], step, { branching: [6, 1] });
  const groups = batch.groups.map((group, at) => setOutcomes(group, untied.includes(at) ? [0, 1] : [0.5]));
  return { ...batch, step, groups };
}

describe('displayed groups', () => {
  let feed: GroupFeed;
  let displayed: string[];
  let clock: number;

  beforeEach(() => {
    displayed = [];
    clock = 0;
    const show = ({ step, group, sampleOnly }: GroupView) =>
      displayed.push(`${step}/${group}${sampleOnly ? ' sample' : ''}`);
    feed = new GroupFeed(() => (clock += 1000), show);
  });

  async function addStep(step: number, untied: readonly number[], sampleOnly = false) {
    const batch = await batchOf(step, untied);
    const turns = new Float32Array(batch.forest.parent.length);
    const exact = new ExactCredit(batch, CONTROLS, environment.maxTurns);
    feed.add({ batch, controls: CONTROLS, exact, credit: { turns } }, environment, sampleOnly ? 1 : 0);
  }

  test('GroupFeed shows only the first of several batches in quick succession, unless showsEach is set', async () => {
    const quick: number[] = [];
    feed = new GroupFeed(
      () => (clock += 1),
      ({ step }) => quick.push(step),
    );
    for (let step = 0; step < 3; step++) await addStep(step, [0]);
    expect(quick).toEqual([0]);
    feed.showsEach = true;
    for (let step = 3; step < 6; step++) await addStep(step, [0]);
    expect(quick).toEqual([0, 3, 4, 5]);
  });

  test('GroupFeed shows the first group that is not tied, until the page selects a group', async () => {
    await addStep(0, [2, 3]);
    await addStep(1, [1]);
    await addStep(2, []);
    feed.handle({ type: 'show', group: 3 }, environment);
    await addStep(3, [0]);
    feed.handle({ type: 'show', group: 99 }, environment);
    expect(displayed).toEqual(['0/2', '1/1', '2/0', '2/3', '3/3', '3/3']);
  });

  test('GroupFeed shows groups of a held step, and the latest step after the hold', async () => {
    await addStep(12, [1]);
    feed.handle({ type: 'hold', of: { step: 12, sampleOnly: false } }, environment);
    for (let step = 13; step < 40; step++) await addStep(step, [0]);
    feed.handle({ type: 'show', group: 2 }, environment);
    feed.catchUp(environment);
    feed.handle({ type: 'show', group: 3 }, environment);
    expect(displayed).toEqual(['12/1', '12/2', '12/3']);
    // A held group can be measured, regardless of the number of later batches.
    expect(feed.find({ step: 12, group: 3, sampleOnly: false })?.group).toBe(3);
    expect(feed.find()?.batch.step).toBe(12);
    feed.handle({ type: 'hold', of: null }, environment);
    expect(displayed.slice(3)).toEqual(['39/3']);
    await addStep(40, [0]);
    expect(displayed.slice(4)).toEqual(['40/3']);
  });

  test('GroupFeed can hold a displayed group after seven later batches', async () => {
    for (let step = 0; step < 8; step++) await addStep(step, [1]);
    feed.handle({ type: 'hold', of: { step: 0, sampleOnly: false } }, environment);
    feed.handle({ type: 'show', group: 2 }, environment);
    expect(displayed.at(-1)).toBe('0/2');
  });

  test('GroupFeed shows a requested sample immediately despite a hold, and holds no group after clear', async () => {
    await addStep(1, [1]);
    feed.handle({ type: 'hold', of: { step: 1, sampleOnly: false } }, environment);
    await addStep(2, [2], true);
    expect(displayed).toEqual(['1/1', '2/2 sample']);
    feed.handle({ type: 'hold', of: { step: 2, sampleOnly: true } }, environment);
    feed.clear();
    await addStep(0, [0]);
    expect(displayed.slice(2)).toEqual(['0/0']);
  });
});

test('sampleUntied samples until a group has different outcomes, up to a maximum number of attempts', async () => {
  let sampledCount = 0;
  const after = (tied: number) => () => batchOf(sampledCount++, sampledCount > tied ? [0] : []);
  const sample = await sampleUntied(after(3), 8);
  expect([hasEqualOutcomes(sample.groups[0] as Group), sampledCount]).toEqual([false, 4]);
  sampledCount = 0;
  const none = await sampleUntied(after(99), 8);
  expect([hasEqualOutcomes(none.groups[0] as Group), sampledCount]).toEqual([true, 8]);
  sampledCount = 0;
  await sampleUntied(after(99), 1);
  expect(sampledCount).toBe(1);
});

/** Returns a batch of one group with the given outcomes and rewards of first turns. */
async function tiedBatch(step: number, outcomes: readonly number[], rewards: readonly number[]): Promise<SampledBatch> {
  const batch = await batchOf(step, []);
  const [group] = batch.groups;
  let next = 0;
  const turns = setOutcomes(group, outcomes).turns.map((turn) =>
    turn.parent === -1 ? { ...turn, reward: rewards[next++ % rewards.length] } : turn,
  );
  return { ...batch, groups: [{ ...group, turns }] };
}

describe('the search for a tied group', () => {
  const search = async (
    ...samples: readonly (readonly [outcomes: readonly number[], rewards: readonly number[]])[]
  ) => {
    let sampledCount = 0;
    const next = () => tiedBatch(sampledCount, ...(samples[sampledCount++] ?? [[0, 1], [0]]));
    const tie = await sampleTie(next, 8);
    return { step: tie?.batch.step, range: tie?.range, sampledCount };
  };

  test('sampleTie returns the tied group with the largest range of turn rewards', async () => {
    expect(
      await search(
        [
          [0, 1],
          [0, 9],
        ],
        [[0.5], [0.2]],
        [[0.5], [0.2, 0.3]],
        [[0.5], [0.1]],
      ),
    ).toEqual({
      ...{ step: 2, sampledCount: 8 },
      range: expect.closeTo(0.1, 9),
    });
  });

  test('sampleTie ends at the first tied group with a clear range of turn rewards', async () => {
    expect(await search([[0.5], [0.2]], [[0.5], [-0.2, 0.6]], [[0.5], [-9, 9]])).toEqual({
      ...{ step: 1, sampledCount: 2 },
      range: expect.closeTo(0.8, 9),
    });
  });

  test('sampleTie returns a tied group with equal turn rewards if there is no other, else undefined', async () => {
    expect(
      await search(
        [
          [0, 1],
          [0, 1],
        ],
        [[0.5], [0.2]],
      ),
    ).toEqual({ step: 1, range: 0, sampledCount: 8 });
    expect(await search()).toEqual({ step: undefined, range: undefined, sampledCount: 8 });
  });

  test('turnRewardRange compares turns of the same depth, without last turns', () => {
    const turns = [
      { parent: -1, reward: 0.1 },
      { parent: 0, reward: 7 },
      { parent: 1, reward: -3 },
      { parent: -1, reward: 0.4 },
      { parent: 3, reward: 5 },
      { parent: 4, reward: 9 },
    ];
    expect(turnRewardRange({ id: 'group', turns })).toBe(2);
  });
});
