import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { groupOf, outcomesOnly } from '../../groups.ts';
import { randomGroups } from '../../randomForests.ts';
import { expectClose } from '../../vectorFile.ts';
import { type CreditHarness, createCreditHarness } from './creditHarness.ts';

// RLOO and Dr. GRPO: the mean of the others, and of all, as the baseline.

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

test.each(['rloo', 'dr-grpo'])('%s: equal outcomes give exactly 0, and so does a lone rollout', async (name) => {
  const groups = [1, 2, 3, 7, 64, 200].map((size) => {
    return groupOf(Array.from({ length: size }, () => ({ turns: [0.1], outcome: 0.7 })));
  });
  const advantages = await fixture.advantages(groups, findRule(name), {});
  expect(advantages.every((advantage) => advantage === 0)).toBe(true);
});

test('outcomes far from 0 keep their digits', async () => {
  const group = outcomesOnly([1000, 1001, 1003, 1000.5]);
  // Mean of all 1001.125; of the others (4004.5 - R) / 3
  const expected = [-1.125, -0.125, 1.875, -0.625];
  expectClose(await fixture.advantages([group], findRule('dr-grpo'), {}), expected, 1e-5);
  const scaled = expected.map((advantage) => (4 / 3) * advantage);
  expectClose(await fixture.advantages([group], findRule('rloo'), {}), scaled, 1e-5);
});
