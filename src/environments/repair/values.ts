import type { Value } from '../../sandbox/types.ts';
import type { CallResult } from '../shared/execution.ts';
import { EXCEPTIONS, FEEDBACK, isToken, tokenNumber } from './vocabulary.ts';

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
