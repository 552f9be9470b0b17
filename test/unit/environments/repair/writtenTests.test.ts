import type { Value } from '@turnwise/python-sandbox/types';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { MAX_WRITTEN_TESTS, VERIFICATION_LIMIT } from '../../../../src/environments/repair/repairSettings.ts';
import { loadProblems } from '../../../../src/environments/repair/repairTasks.ts';
import { canBeWritten, readTests, testTokens } from '../../../../src/environments/repair/verification.ts';
import {
  isCode,
  REFLECTING_VOCABULARY,
  REPAIR_VOCABULARY,
  SIGNATURES,
  type Signature,
  spell,
  tokenNumber,
  VERIFY,
  VERIFYING_VOCABULARY,
} from '../../../../src/environments/repair/vocabulary.ts';

const tokens = (text: string) => text.split(' ').map(tokenNumber);
const read = (text: string, signature: Signature) => readTests(tokens(text), signature).map(({ test: entry }) => entry);

test.each<[Signature, string, readonly Value[], Value]>([
  ['a', 'in: [ ] want 0', [[]], 0],
  ['a', 'in: [ neg 3 T4 2 20 ] want None', [[-3, 42, 20]], null],
  ['ak', 'in: [ 5 7 ] ; 2 want True', [[5, 7], 2], true],
  ['ab', 'in: [ 1 ] ; [ 2 ] want [ 1 2 ]', [[1], [2]], [1, 2]],
  ['nk', 'in: 12 ; 3 want neg T9 9', [12, 3], -99],
  ['s', 'in: ~a ~b ~b want ""', ['abb'], ''],
  ['s', 'in: "" want False', [''], false],
])('with signature %s, the test "%s" is parsed and written again', (signature, text, args, expected) => {
  expect(read(text, signature)).toEqual([{ args, expected }]);
  expect(spell(testTokens({ args, expected }))).toBe(text);
  expect(canBeWritten({ args, expected }, signature)).toBe(true);
});

test.each<[string, Signature, string]>([
  ['a test without an expected value', 'a', 'in: [ 5 ] want'],
  ['a test without "want"', 'a', 'in: [ 5 ]'],
  ['an expected exception', 'a', 'in: [ 5 ] want TypeError'],
  ['an unclosed list', 'a', 'in: [ 5 want 0'],
  ['a number that feedback shows as BIG', 'n', 'in: BIG want 0'],
  ['too few arguments', 'ak', 'in: [ 5 ] want 0'],
  ['too many arguments', 'n', 'in: 5 ; 5 want 0'],
  ['two occurrences of "want"', 'n', 'in: 5 want 0 want 1'],
  ['nested lists', 'a', 'in: [ [ 5 ] ] want 0'],
  ['a negative zero', 'n', 'in: neg 0 want 0'],
  ['the two-token form of 20', 'n', 'in: T2 0 want 0'],
  ['a prompt word as an argument', 'n', 'in: w_sum want 0'],
  ['two numbers without a separator', 'n', 'in: 5 5 want 0'],
])('readTests returns no test for %s', (_, signature, text) => {
  expect(read(text, signature)).toEqual([undefined]);
});

describe('a verification', () => {
  it('a verification is read up to the maximum number of tests, each from its "in:" token', () => {
    const three = 'in: 1 want 1 in: 2 want 2 in: 3 want 3';
    expect(read(three, 'n').map((entry) => entry?.expected)).toEqual([1, 2, 3]);
    expect(read(`${three} in: 4 want 4`, 'n')).toHaveLength(MAX_WRITTEN_TESTS);
    expect(readTests([], 'n')).toEqual([]);
    expect(read('want 1 in: 2 want 2', 'n')).toEqual([undefined, { args: [2], expected: 2 }]);
  });

  it('a verification of arbitrary tokens is read without an error', () => {
    const any = fc.array(fc.integer({ min: 0, max: VERIFYING_VOCABULARY.size - 1 }), { maxLength: VERIFICATION_LIMIT });
    const signatures = fc.constantFrom(...(Object.keys(SIGNATURES) as Signature[]));
    fc.assert(
      fc.property(any, signatures, (written, signature) => {
        for (const { test: entry } of readTests(written, signature)) {
          if (entry) expect(entry.args).toHaveLength(SIGNATURES[signature].length);
        }
      }),
    );
  });

  it('a verification can express more than 90 % of the tests of the problems', async () => {
    const all = (await loadProblems()).flatMap(({ tests, signature }) =>
      tests.map((entry) => canBeWritten(entry, signature)),
    );
    expect(all.filter(Boolean).length / all.length).toBeGreaterThan(0.9);
  });
});

test('the verifying vocabulary has one additional token after all other tokens', () => {
  expect(VERIFYING_VOCABULARY.size).toBe(239);
  expect(VERIFYING_VOCABULARY.names.slice(0, 238)).toEqual(REFLECTING_VOCABULARY.names);
  expect(VERIFYING_VOCABULARY.names.slice(0, 227)).toEqual(REPAIR_VOCABULARY.names);
  expect([VERIFY, spell([VERIFY]), VERIFYING_VOCABULARY.kind(VERIFY), isCode(VERIFY)]).toEqual([
    238,
    '<test>',
    'markup',
    false,
  ]);
});
