import { expect, test } from 'vitest';
import type { CreditRule } from '../../../../src/credit/rule.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { ExactCredit, planUpdate } from '../../../../src/training/update/planUpdate.ts';
import { groupView } from '../../../../src/training/worker/groupViews.ts';
import { expectClose } from '../../../vectorFile.ts';
import { CONTEXT, collect, createSmallWorld } from '../collectWorld.ts';

const WORLD_OPTIONS = { next: 'reply', turns: 3 } as const;
const CONTROLS = { rule: 'grpo-or', profile: 'turnwise', skipZero: 'on', klCoef: 0, entropyCoef: 0 };

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
  const exact = new ExactCredit(batch, CONTROLS, 3);
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
  const exact = new ExactCredit({ groups: [{ id: 'tree', turns }] }, CONTROLS, 3);
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
  const exact = new ExactCredit(batch, { ...CONTROLS, rlooScale: 'std' }, 3);
  expect(exact.parametersOf(findRule('rloo'))).toEqual({ scale: 'std' });
  expect(exact.parametersOf(findRule('murphy-mars'))).toEqual({ profile: 'turnwise', maxTurns: 3 });
});

test('a group view shows the credit that the plan of the update computed', async () => {
  const { batch } = await collect(WORLD_OPTIONS, [4, 1]);
  const exact = new ExactCredit(batch, CONTROLS, 3);
  planUpdate(batch, CONTROLS, exact, { seed: 1, context: CONTEXT, criticUpdates: 0 });
  const planned = batch.groups.map((_, group) => exact.of(group, findRule('grpo-or')));
  const credit = { turns: new Float32Array(batch.forest.parent.length) };
  const view = groupView({ batch, controls: CONTROLS, exact, credit }, 2, createSmallWorld(WORLD_OPTIONS) as never);
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
  const controls = { ...CONTROLS, rule: 'mt-grpo-exact' };
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
