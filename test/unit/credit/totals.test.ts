import { expect, test } from 'vitest';
import { withTotals } from '../../../src/credit/arithmetic/chains.ts';
import type { CreditRule } from '../../../src/credit/rule.ts';
import { declaredFields } from '../../../src/credit/rules/custom/customRule.ts';
import { findRule, RULES } from '../../../src/credit/rules.ts';
import { defaults } from '../../../src/parameters/parameters.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import { ruleText } from '../../pythonRules.ts';

/** Creates two rollouts of two turns with each field that rules read. */
function rollouts(rewards: readonly number[], outcomes: readonly number[], last = 0): Group {
  const fields = {
    tokens: 2,
    values: [0.1, 0.2],
    passed: [1, 0],
    ...JSON.parse('{"logProb":-1,"answerLogProb":-1,"stateValue":0.5}'),
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
const named = (fits: (name: string) => boolean) => RULES.map(({ name }) => name).filter(fits);
const reading = (rewards: CreditRule['rewards']) => named((name) => findRule(name).rewards === rewards);

test('credit is independent of turn rewards exactly for the rules that read only outcomes', () => {
  const first = rollouts([0.25, 0.5], [1, 0]);
  const variants = [rollouts([0.5, 0.125], [1, 0]), rollouts([0.25, 0.5], [1, 0], 0.5)];
  expect(named((name) => variants.every((variant) => same(name, first, variant)))).toEqual(reading('outcome'));
});

test('credit is independent of outcomes exactly for VeRPO and the rules that read attempts', () => {
  const [a, b] = [rollouts([0.5, 0.25], [1, 0]), rollouts([0.5, 0.25], [0, 1])];
  const blind = named((name) => same(name, a, b)).filter((name) => name !== 'verpo');
  expect(blind).toEqual(reading('attempts'));
});

test.each(RULES)('the Python version of $name has the constants of the TypeScript rule', ({ name, batch, rewards }) => {
  expect(declaredFields(ruleText(name))).toEqual({ ...(batch ? { batch } : {}), ...(rewards ? { rewards } : {}) });
});

test('the rules that require turn rewards are those of the Python report', () => {
  const required = RULES.filter(({ requiresTurnRewards }) => requiresTurnRewards).map(({ name }) => name);
  expect(required.sort()).toEqual(['grpo-mr', 'mt-grpo', 'mt-grpo-exact']);
});

test.each(RULES.filter(({ requiresTurnRewards }) => requiresTurnRewards))(
  '$name gives all turns of a rollout the same credit without turn rewards',
  ({ name }) => {
    const [first, second] = creditOf(name, rollouts([0, 0], [1, 0]));
    expect(first).toBe(second);
  },
);

test('withTotals divides a total into turn rewards and outcome, and adds outcomes to the last attempt', () => {
  const total: Group = { ...rollouts([0.25, 0.5], [1, 0.5], 0.25), outcomeIsTotal: true };
  const attempts = { rewards: 'attempts' } as const;
  const last = (group: Group) => [1, 3].map((turn) => [group.turns[turn].reward, group.turns[turn].outcome]);
  expect(withTotals({ rewards: 'outcome' }, total)).toBe(total);
  expect(last(withTotals({}, total))).toEqual([
    [0, 0.75],
    [0, 0],
  ]);
  const divided = withTotals({}, total);
  expect([divided.outcomeIsTotal, withTotals({}, divided)]).toEqual([false, divided]);
  expect(last(withTotals(attempts, total))).toEqual([
    [0.75, 1],
    [0, 0.5],
  ]);
  const apart: Group = { ...total, outcomeIsTotal: false };
  expect(withTotals({}, apart)).toBe(apart);
  expect(last(withTotals(attempts, apart))).toEqual([
    [1.25, 1],
    [1, 0.5],
  ]);
  const unknown = rollouts([0.25, 0.5], [1, 0.5]);
  expect(withTotals(attempts, unknown)).toBe(unknown);
  expect(last(withTotals(attempts, rollouts([0, 0], [1, 0.5])))).toEqual([
    [1, 1],
    [0.5, 0.5],
  ]);
});
