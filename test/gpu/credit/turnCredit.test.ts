import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { groupOf } from '../../groups.ts';
import { randomGroups } from '../../randomForests.ts';
import { type CreditHarness, createCreditHarness } from './creditHarness.ts';

let harness: CreditHarness;
beforeAll(async () => {
  harness = await createCreditHarness();
});
afterAll(() => harness?.destroy());

const rule = findRule('turn-credit');

test.each<ParameterValues>([
  { scores: 'reward' },
  { start: 'unscored' },
  { scores: 'reward', start: 'unscored', gamma: 0.5, beta: 2 },
  { gamma: 0 },
  { gamma: 1 },
  { beta: 0 },
])('turn credit agrees with float64 on random forests, %j', async (parameters) => {
  const groups = randomGroups(rule, 22, [1, 2, 3, 8, 33]);
  const credits = await harness.run(groups, rule, parameters);
  groups.forEach((group, index) => {
    expectSameCredit(rule, credits[index], rule.credit(group, parameters), 1e-4);
  });
});

test('a batch may contain groups without tokens next to groups with tokens', async () => {
  const [withTokens] = randomGroups(rule, 23, [8]);
  const without = groupOf([
    { turns: [0.1, 0.7], outcome: 1 },
    { turns: [0.4], outcome: 0 },
  ]);
  const groups = [without, withTokens, without];
  const credits = await harness.run(groups, rule, {});
  groups.forEach((group, index) => {
    expectSameCredit(rule, credits[index], rule.credit(group, {}), 1e-5);
  });
});

test('equal rollouts of equal turns have advantages of exactly 0 under turn credit', async () => {
  const groups = [1, 3, 7, 64].map((size) =>
    groupOf(Array.from({ length: size }, () => ({ turns: [0.1, 0.1, 0.1], outcome: 1 / 3 }))),
  );
  const advantages = await harness.advantages(groups, rule, { gamma: 0, beta: 0 });
  expect(advantages.every((advantage) => advantage === 0)).toBe(true);
});
