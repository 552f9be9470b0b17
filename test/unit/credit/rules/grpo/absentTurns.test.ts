import { expect, test } from 'vitest';
import { findRule } from '../../../../../src/credit/rules.ts';
import { groupOf, type Rollout } from '../../../../groups.ts';
import { expectClose } from '../../../../vectorFile.ts';

const mtGrpo = findRule('mt-grpo');
const plain = { absent: 'leave-one-out', profile: 'dr-grpo' };

test('mt-grpo with absent=leave-one-out matches a calculation by hand without division', () => {
  // A^O = [1, 0, -1]. A^I of turn 1: [1, 0, 2] - 1 = [0, -1, 1]. A^I of turn 2: [0, 2, 0] - 2/3 = [-2/3, 4/3, -2/3].
  // S with alpha 0.5, backwards: rollout 1: -2/3 + 1 = 1/3, then 0 + 1/6. Rollout 2: 0, 4/3, -1 + 2/3 = -1/3.
  // Rollout 3: -1, -2/3 - 1/2 = -7/6, 1 - 7/12 = 5/12.
  // Turn 1: [1/6, -1/3, 5/12] less the mean of the other two: [1/6 - 1/24, -1/3 - 7/24, 5/12 + 1/12].
  // Turn 2: [1/3, 4/3, -7/6]: [1/3 - 1/12, 4/3 + 5/12, -7/6 - 5/6]. Turn 3: [0, -1]: [0 + 1, -1 - 0].
  const group = groupOf([
    { turns: [1], outcome: 1 },
    { turns: [0, 2], outcome: 0 },
    { turns: [2, 0], outcome: -1 },
  ]);
  const { advantage, intermediate } = mtGrpo.credit(group, { ...plain, alpha: 0.5 });
  expectClose(advantage, [1 / 8, 1 / 4, -5 / 8, 7 / 4, 1, 1 / 2, -2, -1], 1e-12);
  expectClose(intermediate.sharedAdvantage, [1 / 6, 1 / 3, -1 / 3, 4 / 3, 0, 5 / 12, -7 / 6, -1], 1e-12);
});

test('with absent=leave-one-out, a turn that no other rollout has is compared with all other rollouts', () => {
  // Returns 1, 0, 0 with mean 1/3: S = [2/3, -1/3, -1/3]. Only rollout 1 has turn 2: 2/3 * 3/2 = 1, the return minus 0.
  const group = groupOf([
    { turns: [0], outcome: 1 },
    { turns: [], outcome: 0 },
    { turns: [], outcome: 0 },
  ]);
  expectClose(mtGrpo.credit(group, plain).advantage, [1, 1, -0.5, -0.5], 1e-12);
});

test('for rollouts of equal length, absent=leave-one-out gives n / (n - 1) times the advantages of absent=zero', () => {
  const group = groupOf([
    { turns: [0.5, -0.5], outcome: 1 },
    { turns: [0, 1], outcome: 0 },
    { turns: [2, 0], outcome: -1 },
  ]);
  const zero = mtGrpo.credit(group, { absent: 'zero', alpha: 0.5 }).advantage;
  const compared = mtGrpo.credit(group, { absent: 'leave-one-out', alpha: 0.5 }).advantage;
  expectClose(
    compared,
    [...zero].map((A) => 1.5 * A),
    1e-12,
  );
});

test('mt-grpo-exact with absent=leave-one-out subtracts the mean of the other turns from the same state', () => {
  // S of "zero", without division: see mtGrpoExact.test.ts for the group. A^O = [0.7, -0.1, 0.7, -1.3].
  // Turns 1 and 3: A^I = 0.1, -0.1; S = 0.8 and -0.2; A = 1 and -1.
  // Turns 6 and 8: A^I = 0.25, -0.25; S = 0.95 and -1.55; A = 2.5 and -2.5.
  // Turn 0: S = 0.4 + (0.8 - 0.2) / 2 = 0.7, turn 5: -0.4 + (0.95 - 1.55) / 2 = -0.7; A = 1.4 and -1.4.
  const exact = findRule('mt-grpo-exact');
  expectClose(exact.credit(exact.example, plain).advantage, [1.4, 1, 0.7, -1, -0.1, -1.4, 2.5, 0.7, -2.5], 1e-12);
});

/** Probability [turns] that the policy continues after turn 1 and after turn 2. It always stops after turn 3. */
const CONTINUE = [0.6, 0.3];
const REWARD = [0.5, -1, 0.25];
const OUTCOME = [0.2, 1, -0.4];

/** All rollouts of the policy, their probabilities, and derivatives of the log-probabilities of choices by logits. */
const rollouts = [1, 2, 3].map((length) => {
  const choices = CONTINUE.slice(0, length).map((p, turn) => (turn + 1 < length ? p : 1 - p));
  const slopes = CONTINUE.slice(0, length).map((p, turn) => (turn + 1 < length ? 1 - p : -p));
  const rewards = REWARD.slice(0, length - 1);
  const rollout: Rollout = { turns: rewards, outcome: OUTCOME[length - 1] };
  const value = rewards.reduce((sum, reward) => sum + reward, OUTCOME[length - 1]);
  return { rollout, value, rewards, slopes, probability: choices.reduce((product, p) => product * p, 1) };
});

/** Derivatives [logits] of the expected return. */
const truth = CONTINUE.map((_, turn) =>
  rollouts.reduce((sum, { probability, value, slopes }) => sum + probability * value * (slopes[turn] ?? 0), 0),
);

/** Computes the expected gradient [logits] of groups of `size` rollouts by enumeration. */
function expected(size: number, absent: string): number[] {
  const gradient = CONTINUE.map(() => 0);
  for (let code = 0; code < rollouts.length ** size; code++) {
    const drawn = Array.from({ length: size }, (_, i) => rollouts[Math.floor(code / rollouts.length ** i) % 3]);
    const probability = drawn.reduce((product, rollout) => product * rollout.probability, 1);
    const { advantage } = mtGrpo.credit(groupOf(drawn.map(({ rollout }) => rollout)), { absent, profile: 'dr-grpo' });
    let first = 0;
    for (const { slopes, rollout } of drawn) {
      slopes.forEach((slope, turn) => {
        gradient[turn] += (probability * advantage[first + turn] * slope) / size;
      });
      first += rollout.turns.length + 1;
    }
  }
  return gradient;
}

test.each([2, 3, 4])('absent=leave-one-out has no gradient bias in groups of %i rollouts of random length', (size) => {
  expectClose(expected(size, 'leave-one-out'), truth, 1e-12);
});

test('absent=leave and absent=zero have a gradient bias for rollouts of random length', () => {
  for (const absent of ['leave', 'zero']) {
    const bias = expected(4, absent).map((value, logit) => Math.abs(value - truth[logit]));
    expect(Math.max(...bias)).toBeGreaterThan(0.01);
  }
});
