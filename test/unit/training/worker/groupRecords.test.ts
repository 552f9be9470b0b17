import { expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { byTurn, usedCredit } from '../../../../src/engine/updatePlan.ts';
import { readGroups, writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { ExactCredit } from '../../../../src/training/update/planUpdate.ts';
import { groupRecords, groupView } from '../../../../src/training/worker/groupViews.ts';
import { collect, createSmallWorld } from '../collectWorld.ts';

const WORLD_OPTIONS = { next: 'reply', turns: 3 } as const;
const ppo = findRule('mt-ppo');

test('byTurn divides token values into a list per turn', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [3, 1]);
  const perToken = Float32Array.from({ length: batch.policyTokens }, (_, token) => token);
  const lists = byTurn(batch, perToken);
  expect(lists.map(({ length }) => length)).toEqual(
    batch.groups.flatMap(({ turns }) => turns.map(({ tokens }) => tokens)),
  );
  expect(lists.flat()).toEqual([...perToken]);
});

test('group records of a token rule contain the values from which the rule computes the same credit', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [3, 1]);
  const values = Float32Array.from({ length: batch.policyTokens }, (_, token) => Math.fround(Math.sin(token)));
  const lists = byTurn(batch, values);
  const offset = batch.forest.groupOffset;
  const credits = batch.groups.map((group, index) => {
    const turns = group.turns.map((turn, at) => ({ ...turn, values: lists[offset[index] + at] }));
    return ppo.credit({ ...group, turns }, {});
  });
  const advantages = Float32Array.from(credits.flatMap(({ tokens }) => [...(tokens?.advantages ?? [])]));
  const used = usedCredit(batch, ppo, advantages, values);
  const controls = { rule: 'mt-ppo' };
  const exact = new ExactCredit(batch, controls, 3);

  const groups = readGroups(writeGroups(groupRecords(batch, used, 'mt-ppo')));
  expect(groups.map(({ id }) => id)).toEqual(['step-4-group-1', 'step-4-group-2', 'step-4-group-3']);
  expect(groups[1]).toMatchObject({ question: 'task 1', rule: 'mt-ppo', step: 4 });
  groups.forEach((group, index) => {
    const again = ppo.credit(group, {}).tokens?.advantages ?? [];
    expect(again).toEqual(credits[index].tokens?.advantages);
    const recorded = group.turns.flatMap(({ tokenAdvantages }) => tokenAdvantages as number[]);
    expect(recorded).toEqual(Array.from(again, Math.fround));
    // The group view of the page has the same values.
    const { forest } = groupView(
      { batch, controls, exact, credit: used },
      index,
      createSmallWorld(WORLD_OPTIONS) as never,
    );
    expect(forest.turns.map((turn) => turn.values)).toEqual(group.turns.map((turn) => turn.values));
    // The advantage of a turn is the mean of its token advantages.
    for (const { advantage, tokenAdvantages } of group.turns) {
      const turnAdvantages = tokenAdvantages as number[];
      expect(advantage).toBeCloseTo(turnAdvantages.reduce((sum, A) => sum + A, 0) / turnAdvantages.length, 5);
    }
  });
});

test('group records of trees under turn rules have no values, and pruned turns have no advantage', async () => {
  const { batch } = await collect({ next: 'prompt', turns: 2 }, [2, 2], { tasks: 1 });
  const advantages = Float32Array.from(batch.forest.parent, (_, turn) => (turn === 1 ? NaN : turn));
  const used = usedCredit(batch, findRule('murphy-mars'), advantages);
  const [group] = readGroups(writeGroups(groupRecords(batch, used, 'murphy-mars')));
  expect(group.turns.map(({ advantage }) => advantage)).toEqual(
    Array.from(advantages, (A) => (Number.isNaN(A) ? undefined : A)),
  );
  for (const turn of group.turns) {
    expect(turn).not.toHaveProperty('values');
    expect(turn).not.toHaveProperty('tokenAdvantages');
  }
});
