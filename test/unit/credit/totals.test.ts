import { expect, test } from 'vitest';
import { TURN_REWARD_RULES } from '../../../src/cli/commands/creditReport.ts';
import { RULES } from '../../../src/credit/rules.ts';
import { ATTEMPT_RULES, OUTCOME_RULES, withTotals } from '../../../src/credit/totals.ts';
import { defaults } from '../../../src/parameters/parameters.ts';
import type { Group } from '../../../src/rollouts/forest.ts';

/** Two rollouts of two turns with every field that rules read. */
function rollouts(rewards: readonly number[], outcomes: readonly number[], last = 0): Group {
  const fields = {
    tokens: 2,
    values: [0.1, 0.2],
    passed: [1, 0],
    ...JSON.parse('{"logProb":-1,"belief":-1,"worth":0.5}'),
  };
  const turns = rewards.flatMap((reward, index) => [
    { parent: -1, reward, state: 's', action: `a${index}`, ...fields },
    {
      parent: 2 * index,
      reward: last * (index + 1),
      outcome: outcomes[index],
      solved: false,
      state: `t${index}`,
      action: 'a',
      ...fields,
    },
  ]);
  return { id: 'g', turns };
}

const creditOf = (name: string, group: Group) => {
  const rule = RULES.find((candidate) => candidate.name === name);
  if (!rule) throw new Error(name);
  return [...rule.credit(group, defaults(rule.parameters)).advantage];
};

const same = (name: string, a: Group, b: Group) =>
  JSON.stringify(creditOf(name, a)) === JSON.stringify(creditOf(name, b));
const named = (fits: (name: string) => boolean) =>
  RULES.map(({ name }) => name)
    .filter(fits)
    .sort();

test('the list of rules without turn rewards agrees with the arithmetic', () => {
  const first = rollouts([0.25, 0.5], [1, 0]);
  const variants = [rollouts([0.5, 0.125], [1, 0]), rollouts([0.25, 0.5], [1, 0], 0.5)];
  expect(named((name) => variants.every((variant) => same(name, first, variant)))).toEqual([...OUTCOME_RULES].sort());
});

test('the list of rules without outcomes agrees with the arithmetic, but for rules of unit tests', () => {
  const [a, b] = [rollouts([0.5, 0.25], [1, 0]), rollouts([0.5, 0.25], [0, 1])];
  const blind = named((name) => same(name, a, b)).filter((name) => name !== 'verpo');
  expect(blind).toEqual([...ATTEMPT_RULES].sort());
});

test.each(TURN_REWARD_RULES)('%s gives all turns of a rollout the same credit without turn rewards', (name) => {
  const [first, second] = creditOf(name, rollouts([0, 0], [1, 0]));
  expect(first).toBe(second);
});

test('a total is divided among turns, and an attempt is paid last', () => {
  const total: Group = { ...rollouts([0.25, 0.5], [1, 0.5], 0.25), outcomeIsTotal: true };
  const last = (group: Group) => [1, 3].map((turn) => [group.turns[turn].reward, group.turns[turn].outcome]);
  expect(withTotals('grpo-or', total)).toBe(total);
  expect(last(withTotals('grpo-mr', total))).toEqual([
    [0, 0.75],
    [0, 0],
  ]);
  const divided = withTotals('grpo-mr', total);
  expect([divided.outcomeIsTotal, withTotals('grpo-mr', divided)]).toEqual([false, divided]);
  expect(last(withTotals('murphy-mars', total))).toEqual([
    [0.75, 1],
    [0, 0.5],
  ]);
  const apart: Group = { ...total, outcomeIsTotal: false };
  expect(withTotals('grpo-mr', apart)).toBe(apart);
  expect(last(withTotals('murphy-mars', apart))).toEqual([
    [1.25, 1],
    [1, 0.5],
  ]);
  const unknown = rollouts([0.25, 0.5], [1, 0.5]);
  expect(withTotals('murphy-mars', unknown)).toBe(unknown);
  expect(last(withTotals('murphy-mars', rollouts([0, 0], [1, 0.5])))).toEqual([
    [1, 1],
    [0.5, 0.5],
  ]);
});
