import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { groupOf } from '../../groups.ts';
import { randomGroups } from '../../randomForests.ts';
import { type CreditHarness, createCreditHarness } from './creditHarness.ts';

let device: CreditHarness;
beforeAll(async () => {
  device = await createCreditHarness();
});
afterAll(() => device?.destroy());

const settings: ParameterValues[] = [{}, { alpha: 0.5 }, { profile: 'dr-grpo' }, { alpha: 0.3, profile: 'verl' }];

test.each(['mt-grpo', 'mt-grpo-exact'].flatMap((name) => settings.map((values) => [name, values] as const)))(
  '%s with absent leave-one-out agrees with float64 on random groups, %j',
  async (name, values) => {
    const rule = findRule(name);
    const parameters = { ...values, absent: 'leave-one-out' };
    const groups = [...randomGroups(rule, 51), ...randomGroups(rule, 52, [1, 2, 5, 200])];
    const credits = await device.run(groups, rule, parameters);
    groups.forEach((group, index) => {
      expectSameCredit(rule, credits[index], rule.credit(group, parameters), 1e-4);
    });
  },
);

test('equal rollouts have advantages of exactly 0 under MT-GRPO with absent leave-one-out', async () => {
  const groups = [2, 7, 100].map((size) =>
    groupOf(Array.from({ length: size }, () => ({ turns: [0.1, 0.3], outcome: 0.7 }))),
  );
  const advantages = await device.advantages(groups, findRule('mt-grpo'), { absent: 'leave-one-out' });
  expect(advantages.every((advantage) => advantage === 0)).toBe(true);
});
