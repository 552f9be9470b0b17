import type { Value } from '@turnwise/python-sandbox/types';
import { describe, expect, it } from 'vitest';
import {
  exceptionName,
  feedbackText,
  feedbackTokens,
  firstFailure,
  repairPrompt,
  valueTokens,
} from '../../../../src/environments/repair/feedback.ts';
import type { ProgramEvaluation } from '../../../../src/environments/repair/programRunner.ts';
import { CONTEXT, PROGRAM_LIMIT } from '../../../../src/environments/repair/repairSettings.ts';
import type { RepairTask } from '../../../../src/environments/repair/repairTasks.ts';
import { REPAIR_VOCABULARY, spell } from '../../../../src/environments/repair/vocabulary.ts';
import { SUM_TASK } from './repairWorld.ts';

const formatValue = (value: Value) =>
  valueTokens(value)
    .map((token) => REPAIR_VOCABULARY.names[token])
    .join(' ');

describe('values in feedback', () => {
  it.each<[Value, string]>([
    [0, '0'],
    [20, '20'],
    [21, 'T2 1'],
    [99, 'T9 9'],
    [-42, 'neg T4 2'],
    [100, 'BIG'],
    [-5000, 'neg BIG'],
    [2n ** 80n, 'BIG'],
    [true, 'True'],
    [null, 'None'],
    ['', '""'],
    ['abz', '~a ~b other'],
    ['abcdeabcde', '~a ~b ~c ~d ~e ~a ~b'],
    [[], '[ ]'],
    [[1, -30], '[ 1 neg T3 0 ]'],
    [[1, 2, 3, 4, 5, 6, 7], '[ 1 2 3 4 5 6 other ]'],
    [[[1], 'a', null], '[ other ~a None ]'],
    [{ tuple: [1] }, 'other'],
    [{ set: [1] }, 'other'],
    [{ float: 0.5 }, 'other'],
    [{ typeName: 'function' }, 'other'],
  ])('the value %o is written as %s in feedback', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('feedback names exceptions by their tokens, and other exceptions OtherError', () => {
    const names = ['TypeError', 'IndentationError', 'Timeout', 'MemoryError', 'KeyError'].map(exceptionName);
    expect(names).toEqual(['TypeError', 'SyntaxError', 'Timeout', 'OtherError', 'OtherError']);
  });

  it('feedback tokens contain the arguments, the expected value and the result', () => {
    expect(spell(feedbackTokens([[3, 7], 2], 7, { value: 10 }))).toBe('<fb> in: [ 3 7 ] ; 2 want 7 got 10');
    expect(spell(feedbackTokens(['ab'], true, { exception: 'IndexError' }))).toBe(
      '<fb> in: ~a ~b want True got IndexError',
    );
  });

  it('feedback tokens are shortened to a maximum length', () => {
    const list = [-31, -32, -33, -34, -35, -36];
    const long = feedbackTokens([list, list], list, { value: list });
    const short = feedbackTokens([list, list], list, { value: list }, 50);
    expect(long).toHaveLength(5 + 4 * 20);
    expect(short.length).toBeLessThanOrEqual(50);
    expect(spell(short)).toContain('[ neg T3 1 neg T3 2 other ]');
  });
});

describe('the prompt after a failed program', () => {
  const evaluation: ProgramEvaluation = {
    attempt: SUM_TASK.reference,
    complete: true,
    results: SUM_TASK.tests.map(() => ({ value: 1 })),
    passed: SUM_TASK.tests.map((_, test) => test === 0 || test === 2),
  };

  it('firstFailure returns the first failed test, optionally among the visible tests', () => {
    expect(firstFailure(evaluation)).toBe(1);
    expect(firstFailure({ ...evaluation, passed: [true, true, true, false] })).toBe(3);
    expect(firstFailure({ ...evaluation, passed: [true, true, true, false] }, 3)).toBeUndefined();
  });

  it('the prompt after a failed program contains only the latest attempt', () => {
    expect(spell(repairPrompt(SUM_TASK, evaluation, 1))).toBe(
      '<p> sum of above 5 def(a) <c> t = 0 NL for x in a IND if x > 5 IND t += x DED DED return t ' +
        '<fb> in: [ 6 ] want 6 got 1 <c>',
    );
  });

  it('the prompt after a failed program leaves room for another program at any length', () => {
    const list = Array.from({ length: 9 }, () => -99);
    const task: RepairTask = {
      ...SUM_TASK,
      prompt: Array.from({ length: 19 }, () => 1),
      tests: [{ args: [list, list], expected: list }],
    };
    const cutOff: ProgramEvaluation = {
      attempt: Array.from({ length: PROGRAM_LIMIT }, () => 30),
      complete: false,
      results: [{ exception: 'SyntaxError' }],
      passed: [false],
    };
    expect(repairPrompt(task, cutOff, 0).length).toBeLessThanOrEqual(CONTEXT - PROGRAM_LIMIT);
  });

  it('the result of a failed program is described in words', () => {
    expect(feedbackText(SUM_TASK, evaluation, 1)).toBe('f([6]) should give 6 and gives 1');
    const raised = { ...evaluation, results: SUM_TASK.tests.map(() => ({ exception: 'NameError' })) };
    expect(feedbackText(SUM_TASK, raised, 3)).toBe('f([6, 7]) should give 13 and raises NameError');
    const late = { ...evaluation, results: SUM_TASK.tests.map(() => ({ exception: 'Timeout' })) };
    expect(feedbackText(SUM_TASK, late, 3)).toBe('f([6, 7]) should give 13 and runs into a Timeout');
    expect(feedbackText(SUM_TASK, { ...evaluation, complete: false }, 3)).toBe('the program does not end');
  });
});
