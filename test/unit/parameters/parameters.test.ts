import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  clampParameter,
  ParameterError,
  type ParameterTable,
  parseParameters,
  pickParameters,
  readParameters,
  valuesOf,
} from '../../../src/parameters/parameters.ts';

const TABLE = [
  {
    kind: 'number',
    name: 'gamma',
    label: 'Discount',
    default: 0.9,
    min: 0,
    max: 1,
    step: 0.01,
    help: 'How much later counts.',
  },
  {
    kind: 'number',
    name: 'turns',
    label: 'Turns',
    default: 2,
    min: 1,
    max: 4,
    step: 1,
    integer: true,
    help: 'Attempts.',
  },
  { kind: 'choice', name: 'scale', label: 'Scale', default: 'std', options: ['std', 'none'], help: 'Divides.' },
  { kind: 'list', name: 'widths', label: 'Widths', default: '4/8', max: 64, maximum: 3, help: 'Levels.' },
  { kind: 'boolean', name: 'centred', label: 'Centred', default: 'true', help: 'Less the mean.' },
] as const satisfies ParameterTable;

/** Returns the message of the error that an action throws. */
function problem(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(ParameterError);
    return (error as ParameterError).message;
  }
  return 'no error';
}

describe('values of a table', () => {
  test('parseParameters returns only the given values, in their stored form', () => {
    expect(parseParameters(TABLE, { widths: [2, 4], gamma: '0.5' })).toEqual({ widths: '2/4', gamma: 0.5 });
    expect(parseParameters(TABLE, {})).toEqual({});
  });

  test('readParameters and pickParameters return all values in table order, with defaults for missing values', () => {
    for (const read of [readParameters, pickParameters]) {
      const values = read(TABLE, { scale: 'none', gamma: '0.5' });
      expect(Object.entries(values)).toEqual([
        ['gamma', 0.5],
        ['turns', 2],
        ['scale', 'none'],
        ['widths', '4/8'],
        ['centred', 'true'],
      ]);
    }
  });

  test('readParameters and pickParameters return values of the types in the table', () => {
    const values = readParameters(TABLE, {});
    expectTypeOf(values).toEqualTypeOf<{
      readonly gamma: number;
      readonly turns: number;
      readonly scale: 'std' | 'none';
      readonly widths: string;
      readonly centred: 'true' | 'false';
    }>();
    expectTypeOf(pickParameters(TABLE, {})).toEqualTypeOf(values);
  });

  test('unknown names are an error in readParameters and parseParameters, and ignored in pickParameters', () => {
    const values = { gamma: 0.5, kappa: 3 };
    const message = 'unknown parameter "kappa"; known: gamma, turns, scale, widths, centred';
    expect(problem(() => readParameters(TABLE, values))).toBe(message);
    expect(problem(() => parseParameters(TABLE, values))).toBe(message);
    expect(pickParameters(TABLE, values)).toEqual({
      gamma: 0.5,
      turns: 2,
      scale: 'std',
      widths: '4/8',
      centred: 'true',
    });
  });

  test.each([
    [{ gamma: 1.5 }, 'gamma: 1.5 is not a number from 0 to 1'],
    [{ turns: 2.5 }, 'turns: 2.5 is not a whole number from 1 to 4'],
    [{ scale: 'mean' }, 'scale: "mean" is not one of std, none'],
    [{ centred: 'yes' }, 'centred: "yes" is not one of true, false'],
    [{ widths: '4/8/16/32' }, 'widths: "4/8/16/32" is not up to 3 whole numbers from 1 to 64, as in 4,8, or nothing'],
  ])('parseParameters, readParameters and pickParameters throw an error for %j', (values, message) => {
    for (const read of [parseParameters, readParameters, pickParameters]) {
      expect(problem(() => read(TABLE, values))).toBe(message);
    }
  });
});

describe('boolean values', () => {
  test('boolean parameters are stored as text, given as a text or a boolean', () => {
    for (const [given, stored] of [
      [true, 'true'],
      ['true', 'true'],
      [false, 'false'],
      ['false', 'false'],
    ] as const) {
      expect(parseParameters(TABLE, { centred: given })).toEqual({ centred: stored });
      expect(clampParameter(TABLE[4], given)).toBe(stored);
    }
    expect(clampParameter(TABLE[4], 'no')).toBe('true');
  });
});

describe('values for arithmetic', () => {
  const EXTENDED_TABLE = [
    ...TABLE,
    {
      kind: 'number',
      name: 'epsilon',
      optional: true,
      label: 'ε',
      default: 1,
      min: 0,
      max: 1,
      step: 1,
      help: 'Added.',
    },
    { kind: 'choice', name: 'ddof', optional: true, label: 'd', default: '1', options: ['1', '0'], help: 'Less.' },
  ] as const satisfies ParameterTable;

  test('valuesOf returns values of the type of their parameter, and undefined for a missing optional parameter', () => {
    const values = valuesOf(EXTENDED_TABLE, { gamma: 0.5, widths: '2/4', centred: 'false', ddof: '0', kappa: 3 });
    expect(values).toEqual({
      gamma: 0.5,
      turns: 2,
      scale: 'std',
      widths: [2, 4],
      centred: false,
      epsilon: undefined,
      ddof: '0',
    });
    expect(valuesOf(EXTENDED_TABLE, { widths: '' }).widths).toEqual([]);
    expectTypeOf(values).toEqualTypeOf<{
      readonly gamma: number;
      readonly turns: number;
      readonly scale: 'std' | 'none';
      readonly widths: readonly number[];
      readonly centred: boolean;
      readonly epsilon: number | undefined;
      readonly ddof: '1' | '0' | undefined;
    }>();
  });

  test.each([
    [{ gamma: '0.5' }, 'gamma: "0.5" is not a number from 0 to 1'],
    [{ scale: 'mean' }, 'scale: "mean" is not one of std, none'],
    [{ centred: 1 }, 'centred: 1 is not one of true, false'],
    [{ widths: 'a' }, 'widths: "a" is not up to 3 whole numbers from 1 to 64, as in 4,8, or nothing'],
  ])('valuesOf throws an error for the invalid value %j', (values, message) => {
    expect(problem(() => valuesOf(EXTENDED_TABLE, values))).toBe(message);
  });
});
