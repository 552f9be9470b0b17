import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../../../src/credit/arithmetic/normalize.ts';
import { formatNumber, normalizedLines, powerOfTen } from '../../../../src/credit/explanation/derivation.ts';
import type { CreditRule } from '../../../../src/credit/rule.ts';
import { RULES } from '../../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../../src/parameters/parameters.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { randomGroups } from '../../../randomForests.ts';
import { evaluate } from '../../../writtenArithmetic.ts';

/** Returns values that change one parameter at a time: each option, and the ends and the middle of each range. */
function variants({ parameters }: CreditRule): ParameterValues[] {
  const alternatives = parameters.flatMap((parameter): ParameterValues[] => {
    if (parameter.kind === 'choice') return parameter.options.map((option) => ({ [parameter.name]: option }));
    if (parameter.kind === 'boolean') return ['true', 'false'].map((value) => ({ [parameter.name]: value }));
    if (parameter.kind === 'list') return [{ [parameter.name]: '2' }, { [parameter.name]: '1/1' }];
    const { name, min, max } = parameter;
    // Small values of maxTurns are omitted: the rule throws an error for groups with longer paths.
    return [min, (min + max) / 2, max]
      .filter((value) => name !== 'maxTurns' || value === 0 || value > 4)
      .map((value) => ({ [name]: value }));
  });
  return [{}, ...alternatives];
}

/** Asserts that the sides of each equation are equal, and that the last line has the advantage of the turn. */
function checkTurn(rule: CreditRule, group: Group, parameters: ParameterValues, turn: number): void {
  const credit = rule.credit(group, parameters);
  if (Number.isNaN(credit.advantage[turn])) return;
  const lines = rule.worked(turn, group, credit, parameters);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const [, ...sides] = line.split(', because ')[0].split(' = ');
    const written = sides.filter((side) => !/sum (of|over) \d+/.test(side));
    const values = written.filter((side) => !/^[A-Zδρσ]/.test(side)).map(evaluate);
    expect(values.length, line).toBeGreaterThan(0);
    for (const value of values) near(value, values[values.length - 1], line);
  }
  if (rule.unit === 'token') return;
  const last = lines[lines.length - 1].split(', because ')[0].split(' = ');
  expect(last[0]).toBe('A');
  near(evaluate(last[last.length - 1]), credit.advantage[turn], lines.join('\n'));
}

/** Asserts that two numbers are equal up to rounding. The lines have numbers of five digits. */
function near(actual: number, expected: number, line: string): void {
  expect(Math.abs(actual - expected), line).toBeLessThan(2e-3 * Math.max(1, Math.abs(expected)));
}

describe.each(RULES.map((rule) => [rule.name, rule] as const))('%s', (_, rule) => {
  test('the derivation of each turn of the example is correct for all parameter values', () => {
    for (const parameters of variants(rule)) {
      rule.example.turns.forEach((_, turn) => {
        checkTurn(rule, rule.example, parameters, turn);
      });
    }
  });

  test('the derivation of each turn of random groups is correct', () => {
    for (const group of randomGroups(rule, 11, [1, 2, 5, 12])) {
      group.turns.forEach((_, turn) => {
        checkTurn(rule, group, {}, turn);
      });
    }
  });
});

test('the derivation of a token rule lists the tokens from last to first', () => {
  const rule = RULES.find(({ name }) => name === 'mt-ppo') as CreditRule;
  const parameters = { gamma: 0.5, lambda: 0.5 };
  // delta_2 = 0.5 + 0.5 * 0.5 - 1 = -0.25; delta_3 = 0 + 0.5 * 0.5 - 0.5 = -0.25, delta_4 = 1 - 0.5 = 0.5;
  // A_3 = -0.25 + 0.25 * 0.5 = -0.125; A_2 = -0.25 + 0.25 * -0.125 = -0.28125
  const lines = rule.worked(0, rule.example, rule.credit(rule.example, parameters), parameters);
  expect(lines.slice(0, 2)).toEqual([
    'δ_2 = 0.5 + 0.5 · 0.5 − 1 = −0.25',
    'A_2 = −0.25 + 0.5 · 0.5 · (−0.125) = −0.28125',
  ]);
});

describe('the derivation of a normalized reward', () => {
  const symbols = ['A', 'R'] as const;

  test('the derivation of a normalized reward has mean, standard deviation and advantage', () => {
    expect(normalizedLines({ symbols, values: [1, 0, 0, 0], at: 0, normalization: PROFILES.turnwise })).toEqual([
      'mean R = (1 + 0 + 0 + 0) / 4 = 0.25',
      'std R = √(((1 − 0.25)² + (0 − 0.25)² + (0 − 0.25)² + (0 − 0.25)²) / 3) = 0.5',
      'A = (1 − 0.25) / (0.5 + 0.000001) = 1.5',
    ]);
  });

  test('the derivation of a normalized reward has no division without scale, and a reason for advantage 0', () => {
    const normalization = PROFILES['dr-grpo'];
    expect(normalizedLines({ symbols, values: [1, -2], at: 1, normalization })).toEqual([
      'mean R = (1 + (−2)) / 2 = −0.5',
      'A = −2 − (−0.5) = −1.5',
    ]);
    expect(normalizedLines({ symbols, values: [0.7], at: 0, normalization })).toEqual([
      'A = 0, because R = 0.7 is the only value',
    ]);
    expect(normalizedLines({ symbols, values: [0.7], at: 0, normalization: PROFILES.verl })).toEqual([
      'A = 0.7 / (1 + 0.000001) = 0.7',
    ]);
    expect(normalizedLines({ symbols, values: [2, 2, 2], at: 2, normalization })).toEqual([
      'A = 0, because all 3 have R = 2',
    ]);
  });

  test('powers of ten are formatted with superscripts', () => {
    expect([1e-6, 0.001, 1, 1e12].map(powerOfTen)).toEqual(['10⁻⁶', '10⁻³', '10⁰', '10¹²']);
  });

  test('numbers are formatted with at most five significant digits and the minus sign U+2212', () => {
    expect([0.1 + 0.2, -1 / 3, 1e-6, 12345.678, 0].map(formatNumber)).toEqual([
      '0.3',
      '−0.33333',
      '0.000001',
      '12346',
      '0',
    ]);
  });
});

test('the test evaluator computes printed arithmetic, and throws an error for other text', () => {
  expect(evaluate('√(((1 − 3)² + (−2 − 2)²) / 5)')).toBe(2);
  expect(evaluate('max(0.5, 2 · 3) + exp(−((1 − 1)²) / 2) + 0.5^2')).toBe(7.25);
  expect(() => evaluate('the sum')).toThrow('cannot be read');
});
