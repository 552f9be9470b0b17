import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import type { Group, Turn } from '../../../src/rollouts/forest.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { randomGroups } from '../../randomForests.ts';
import { type CreditHarness, createCreditHarness } from './creditHarness.ts';

let fixture: CreditHarness;
beforeAll(async () => {
  fixture = await createCreditHarness();
});
afterAll(() => fixture?.destroy());

const exact = findRule('mt-grpo-exact');

test.each<ParameterValues>([
  { absent: 'zero' },
  { alpha: 0 },
  { alpha: 0.5 },
  { alpha: 0.5, absent: 'zero', profile: 'verl' },
  { absent: 'zero', profile: 'dr-grpo' },
])('MT-GRPO-exact agrees with float64 on random forests, %j', async (parameters) => {
  const groups = [...randomGroups(exact, 41), ...randomGroups(exact, 42)];
  const credits = await fixture.run(groups, exact, parameters);
  groups.forEach((group, index) => {
    expectSameCredit(exact, credits[index], exact.credit(group, parameters), 1e-4);
  });
});

/** Creates a group with one chain of one or two turns for each entry of `lengths`. */
function chainsOf(lengths: readonly number[]): Group {
  const turns = lengths.flatMap((length, rollout): Turn[] => {
    const first = lengths.slice(0, rollout).reduce((sum, count) => sum + count, 0);
    const last: Turn = { parent: length === 1 ? -1 : first, reward: 0, outcome: (rollout % 5) / 4 };
    return length === 1 ? [last] : [{ parent: -1, reward: (rollout % 3) / 3 }, last];
  });
  return { id: 'chains', turns };
}

describe.each(['leave', 'zero'])('MT-GRPO-exact with absent %s', (absent) => {
  test.each([8, 40])('%i chains of at most two turns have the credit of MT-GRPO', async (rollouts) => {
    const group = chainsOf(Array.from({ length: rollouts }, (_, rollout) => (rollout % 4 === 3 ? 1 : 2)));
    const values = { alpha: 0.5, absent };
    const [actual] = await fixture.run([group], exact, values);
    const [chain] = await fixture.run([group], findRule('mt-grpo'), values);
    expectSameCredit(exact, actual, chain, 1e-6);
  });
});

test('equal rewards in a tree have advantages of exactly 0 under MT-GRPO-exact', async () => {
  const turns = [{ parent: -1, reward: 1 / 3 }];
  for (let turn = 1; turn < 40; turn++) turns.push({ parent: Math.floor((turn - 1) / 3), reward: 1 / 3 });
  const group = {
    id: 'tree',
    turns: turns.map((turn, index) => (3 * index + 1 < 40 ? turn : { ...turn, outcome: 0.7 })),
  };
  expect((await fixture.advantages([group], exact, {})).every((advantage) => advantage === 0)).toBe(true);
});
