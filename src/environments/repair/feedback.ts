import { repr } from '@turnwise/python-sandbox/repr';
import type { Value } from '@turnwise/python-sandbox/types';
import type { CallResult } from '../shared/execution.ts';
import type { ProgramEvaluation } from './programRunner.ts';
import { CONTEXT, PROGRAM_LIMIT } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { COMPLETE, EXCEPTIONS, FEEDBACK, isToken, REFLECT, tokenNumber } from './vocabulary.ts';

/** Maximum number of members of a list, and of characters of a string, in feedback. `other` represents the rest. */
const LONGEST_LIST = 6;
const LONGEST_STRING = 7;

/** Returns the tokens of a value in feedback. Numbers from 100 on are BIG, and values without a token are `other`. */
export function valueTokens(value: Value, longestList = LONGEST_LIST): number[] {
  return names(value, longestList, false).map(tokenNumber);
}

function names(value: Value, longest: number, inside: boolean): string[] {
  if (value === null) return ['None'];
  if (typeof value === 'boolean') return [value ? 'True' : 'False'];
  if (typeof value === 'number' || typeof value === 'bigint') return integerNames(value);
  if (typeof value === 'string') return stringNames(value, longest);
  if (inside || !Array.isArray(value)) return ['other'];
  const members = value.slice(0, longest).flatMap((member) => names(member, longest, true));
  return ['[', ...members, ...(value.length > longest ? ['other'] : []), ']'];
}

function integerNames(value: number | bigint): string[] {
  const size = Math.abs(Number(value));
  const digits = size <= 20 ? [String(size)] : size < 100 ? [`T${Math.floor(size / 10)}`, String(size % 10)] : ['BIG'];
  return value < 0 ? ['neg', ...digits] : digits;
}

function stringNames(value: string, longestList: number): string[] {
  if (value === '') return ['""'];
  const characters = [...value].map((character) => (isToken(`~${character}`) ? `~${character}` : 'other'));
  return characters.slice(0, longestList < LONGEST_LIST ? longestList + 1 : LONGEST_STRING);
}

/** Returns the name of an exception in feedback: its Python name if there is a token for it, else `OtherError`. */
export function exceptionName(exception: string): string {
  // These are subclasses of SyntaxError.
  if (exception === 'IndentationError' || exception === 'TabError') return 'SyntaxError';
  return EXCEPTIONS.includes(exception) ? exception : 'OtherError';
}

/**
 * Returns the tokens of `<fb> in: ARGS want VALUE got VALUE|ExceptionType`.
 * @param capacity maximum number of tokens; lists and strings are cut until they fit
 */
export function feedbackTokens(
  args: readonly Value[],
  expected: Value,
  got: CallResult,
  capacity = Infinity,
): number[] {
  for (let longest = LONGEST_LIST; ; longest--) {
    const tokens = [
      FEEDBACK,
      tokenNumber('in:'),
      ...args.flatMap((value, index) => [...(index > 0 ? [tokenNumber(';')] : []), ...valueTokens(value, longest)]),
      tokenNumber('want'),
      ...valueTokens(expected, longest),
      tokenNumber('got'),
      ...('value' in got ? valueTokens(got.value, longest) : [tokenNumber(exceptionName(got.exception))]),
    ];
    if (tokens.length <= capacity || longest === 0) return tokens;
  }
}

/** Text that a turn must write. A program follows a reflection. */
export type RequestedText = 'program' | 'reflection';

/** Returns the index of the first failing test in the order of the suite; undefined if a program passes all tests. */
export function firstFailure({ passed }: ProgramEvaluation, tests = passed.length): number | undefined {
  const test = passed.slice(0, tests).indexOf(false);
  return test < 0 ? undefined : test;
}

/**
 * Returns the prompt of the next turn, with one attempt. It leaves capacity for another program, and longer feedback is
 * shortened. Its tokens are:
 *
 *   <p> words def(a,k) <c> ATTEMPT <fb> in: ARGS want VALUE got RESULT <c>
 *
 * @param test index of the failing test to show
 * @param requested `reflection` replaces the last `<c>` by `<reflect>`, which requests a reflection before the program
 */
export function repairPrompt(
  task: RepairTask,
  { attempt, results }: Pick<ProgramEvaluation, 'attempt' | 'results'>,
  test: number,
  requested: RequestedText = 'program',
): readonly number[] {
  const { args, expected } = task.tests[test];
  const capacity = CONTEXT - PROGRAM_LIMIT - task.prompt.length - attempt.length - 1;
  return [
    ...task.prompt,
    ...attempt,
    ...feedbackTokens(args, expected, results[test], capacity),
    requested === 'reflection' ? REFLECT : COMPLETE,
  ];
}

/** Formats feedback for users: "f([3, 5]) should give 8 and gives 5". */
export function feedbackText(task: RepairTask, { complete, results }: ProgramEvaluation, test: number): string {
  if (!complete) return 'the program does not end';
  const { expected } = task.tests[test];
  const result = results[test];
  const got = resultText(result);
  const verb = 'value' in result ? 'gives' : got === 'Timeout' ? 'runs into a' : 'raises';
  return `${callText(task, test)} should give ${repr(expected)} and ${verb} ${got}`;
}

/** Formats a call: "f([3, 5], 2)". */
function callText({ entry, tests }: RepairTask, test: number): string {
  return `${entry}(${tests[test].args.map(repr).join(', ')})`;
}

/** Formats the result of a call for users: the value, or the name of the exception in feedback. */
export function resultText(result: CallResult): string {
  return 'value' in result ? repr(result.value) : exceptionName(result.exception);
}
