import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnAwareReturns } from '../../../../../src/credit/arithmetic/returns.ts';
import { CreditError } from '../../../../../src/credit/creditError.ts';
import { VERIFIED } from '../../../../../src/credit/explanation/examples.ts';
import { findRule } from '../../../../../src/credit/rules.ts';
import type { Group } from '../../../../../src/rollouts/forest.ts';
import { expectClose } from '../../../../vectorFile.ts';

const tapo = findRule('tapo');
const PAPER = { abs: 0, imp: 1, ver: 0.2 };
const tokensOf = (group: Group, parameters = {}) => {
  const { tokens } = tapo.credit(group, parameters);
  if (!tokens) throw new Error('TAPO gives no tokens');
  return { advantages: [...tokens.advantages], returns: [...tokens.returns] };
};

describe('TAPO by hand', () => {
  test('a program has outcome plus gain as return, and tests have a fifth of their share plus the next gain', () => {
    // g: .5, .75 - .5 = .25, .25 - .75 = -.5. R^O = .25.
    const returns = turnAwareReturns([0.5, 1, 0.75, 0.5, 0.25], 0.25, PAPER);
    expectClose(returns, [0.75, 0.25 + 0.2 + 0.25, 0.5, 0.25 + 0.1 - 0.5, -0.25], 1e-12);
  });

  test('TAPO computes returns for a single program and for a rollout that ends with tests', () => {
    expect(turnAwareReturns([0.5], 0.5, PAPER)).toEqual([1]);
    expectClose(turnAwareReturns([1, 0.5], 1, PAPER), [2, 1.1], 1e-12);
  });

  test('abs adds the pass rate of a later program to the return of its turn and of the turn before', () => {
    // g_3 = .5 * .75 + 2 * .25 = .875
    expectClose(turnAwareReturns([0.5, 1, 0.75], 0, { abs: 0.5, imp: 2, ver: 1 }), [0.5, 1.875, 0.875], 1e-12);
  });

  test('a TAPO token advantage is the return of its turn minus the critic value of the token', () => {
    const { advantages, returns } = tokensOf(VERIFIED);
    // Rollout 1: 1 + .5 | 1 + .2 + .5 | 1 + .5. Rollout 2: .25 + .5 | .25 + .1 - .25 | .25 - .25.
    // Rollout 3: 1 + 1 | 1 + 0.
    expectClose(returns, [1.5, 1.5, 1.7, 1.7, 1.5, 0.75, 0.75, 0.1, 0.1, 0, 2, 1], 1e-12);
    expectClose(advantages, [1, 0.75, 0.7, 0.7, 0.5, 0.25, 0.5, -0.4, -0.4, -0.25, 1, -0.5], 1e-12);
    expectClose(tapo.credit(VERIFIED, {}).advantage, [0.875, 0.7, 0.5, 0.375, -0.4, -0.25, 1, -0.5], 1e-12);
  });
});

const rewards = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 1, maxLength: 7 });

test('rewards of written tests do not change the TAPO returns of programs', () => {
  fc.assert(
    fc.property(rewards, fc.double({ min: -2, max: 2, noNaN: true }), (all, tests) => {
      const changed = all.map((reward, index) => (index % 2 === 1 ? tests : reward));
      const [before, after] = [all, changed].map((list) => turnAwareReturns(list, 1, PAPER));
      for (let index = 0; index < all.length; index += 2) expect(after[index]).toBe(before[index]);
    }),
  );
});

test('the gains of the programs sum to the pass rate of the last program', () => {
  fc.assert(
    fc.property(rewards, (all) => {
      const programs = all.filter((_, index) => index % 2 === 0);
      const programReturns = turnAwareReturns(all, 0, PAPER).filter((_, index) => index % 2 === 0);
      expectClose([programReturns.reduce((sum, value) => sum + value, 0)], [programs[programs.length - 1]], 1e-9);
    }),
  );
});

test('the derivation of a TAPO turn ends with its token advantages', () => {
  const credit = tapo.credit(VERIFIED, {});
  expect(tapo.worked(1, VERIFIED, credit, {})).toEqual([
    'g_3 = 0 · 1 + 1 · (1 − 0.5) = 0.5',
    'R^turn_2 = 0.2 · 1 + 0.5 = 0.7',
    'return = 1 + 0.7 = 1.7',
    'A_1 = 1.7 − 1 = 0.7',
    'A_2 = 1.7 − 1 = 0.7',
  ]);
  expect(tapo.worked(7, VERIFIED, credit, {})).toEqual([
    'R^turn_2 = 0.2 · 0 = 0',
    'return = 1 + 0 = 1',
    'A_1 = 1 − 1.5 = −0.5',
  ]);
});

test('TAPO throws an error with group, turn and field if a token has no critic value', () => {
  const group: Group = { id: 'g', turns: [{ parent: -1, reward: 1, outcome: 1, tokens: 2, values: [1] }] };
  expect(() => tapo.credit(group, {})).toThrow(CreditError);
  expect(() => tapo.credit(group, {})).toThrow('group "g", turn 0, field "values"');
});
