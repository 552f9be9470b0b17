import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { groupOf, outcomesOnly } from '../../groups.ts';
import { randomGroups } from '../../randomForests.ts';
import { expectClose } from '../../vectorFile.ts';
import { type CreditHarness, createCreditHarness } from './creditHarness.ts';

// RLOO subtracts the mean outcome of the other rollouts of the group, Dr. GRPO the mean outcome of all rollouts.

let fixture: CreditHarness;
beforeAll(async () => {
  fixture = await createCreditHarness();
});
afterAll(() => fixture?.destroy());

test.each<ParameterValues>([
  { scale: 'std' },
  { scale: 'std', ddof: '0', epsilon: 1e-4 },
  { scale: 'std', singleton: 'raw' },
  { singleton: 'raw' },
])('rloo agrees with float64 on random forests, %j', async (parameters) => {
  const rule = findRule('rloo');
  const groups = randomGroups(rule, 21, [1, 2, 3, 8, 33, 200]);
  const credits = await fixture.run(groups, rule, parameters);
  groups.forEach((group, index) => {
    expectSameCredit(rule, credits[index], rule.credit(group, parameters), 1e-4);
  });
});

test.each(['rloo', 'dr-grpo'])('equal outcomes and single rollouts have advantages of 0 under %s', async (name) => {
  const groups = [1, 2, 3, 7, 64, 200].map((size) => {
    return groupOf(Array.from({ length: size }, () => ({ turns: [0.1], outcome: 0.7 })));
  });
  const advantages = await fixture.advantages(groups, findRule(name), {});
  expect(advantages.every((advantage) => advantage === 0)).toBe(true);
});

test('advantages of outcomes far from 0 are exact to 1e-5 under RLOO and Dr. GRPO', async () => {
  const group = outcomesOnly([1000, 1001, 1003, 1000.5]);
  // The mean of all four outcomes is 1001.125; the mean of the other three is (4004.5 - R) / 3.
  const expected = [-1.125, -0.125, 1.875, -0.625];
  expectClose(await fixture.advantages([group], findRule('dr-grpo'), {}), expected, 1e-5);
  const scaled = expected.map((advantage) => (4 / 3) * advantage);
  expectClose(await fixture.advantages([group], findRule('rloo'), {}), scaled, 1e-5);
});
