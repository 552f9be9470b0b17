import type { Group } from '../../rollouts/forest.ts';
import { CreditError } from '../creditError.ts';
import type { Credit, CreditRule } from '../rule.ts';

/** Number of values per piece of text. */
const SLICE = 1 << 16;

/** Significant digits that distinguish every 32-bit float from the next. */
export const FLOAT32_DIGITS = 9;

/**
 * Formats the result of a rule for a group as one line of JSON: `id`; `advantage`, a number per turn, or for token
 * rules `advantages` and `returns`, a list per turn. The output values of the rule follow by name. An entry is null if
 * its value is NaN, as for pruned turns.
 * @param digits number of significant digits; all digits if undefined
 * @returns the line with its newline, in pieces, because the text of many tokens exceeds the maximum length of a string
 * @throws {CreditError} for an infinite number, or for an advantage that is NaN although the rule does not prune: the
 *   rewards are too large for the arithmetic
 */
export function* creditText(rule: CreditRule, group: Group, credit: Credit, digits?: number): Generator<string> {
  yield `{"id":${JSON.stringify(group.id)}`;
  const tokens = (values: Float64Array) => perTurn(values, group, 'tokens');
  if (rule.unit === 'token') {
    const { advantages, returns } = credit.tokens ?? missing(rule, group, 'tokens');
    checkFinite(group, 'advantages', advantages, false);
    checkFinite(group, 'returns', returns, false);
    yield* named('advantages', tokens(advantages), digits);
    yield* named('returns', tokens(returns), digits);
  } else {
    checkFinite(group, 'advantage', credit.advantage, rule.retained !== undefined);
    yield* named('advantage', [credit.advantage], digits);
  }
  for (const [name, { extent }] of Object.entries(rule.outputs)) {
    const values = credit.intermediate[name] ?? missing(rule, group, name);
    checkFinite(group, name, values, true);
    if (extent === 'groups') yield `,${JSON.stringify(name)}:${numberText(values[0], digits)}`;
    else if (extent === 'tokens') yield* named(name, tokens(values), digits);
    else if (extent === 'results') yield* named(name, perTurn(values, group, 'passed'), digits);
    else yield* named(name, [values], digits);
  }
  yield '}\n';
}

/** Values in one list per turn, with the number of its tokens or tests as the length. */
interface Cut {
  readonly values: Float64Array;
  readonly lengths: readonly number[];
}

function perTurn(values: Float64Array, { turns }: Group, by: 'tokens' | 'passed'): Cut {
  return { values, lengths: turns.map(({ tokens, passed }) => (by === 'tokens' ? tokens : passed?.length) ?? 0) };
}

/** Yields `,"name":[...]`: one list, or one list per turn. */
function* named(name: string, list: Cut | readonly [Float64Array], digits: number | undefined): Generator<string> {
  yield `,${JSON.stringify(name)}:[`;
  if ('lengths' in list) {
    let start = 0;
    for (const [turn, length] of list.lengths.entries()) {
      yield turn > 0 ? ',[' : '[';
      yield* numbers(list.values.subarray(start, start + length), digits);
      yield ']';
      start += length;
    }
  } else yield* numbers(list[0], digits);
  yield ']';
}

function* numbers(values: Float64Array, digits: number | undefined): Generator<string> {
  for (let start = 0; start < values.length; start += SLICE) {
    const slice = Array.from(values.subarray(start, start + SLICE), (value) => rounded(value, digits));
    yield `${start > 0 ? ',' : ''}${JSON.stringify(slice).slice(1, -1)}`;
  }
}

function numberText(value: number | undefined, digits: number | undefined): string {
  return JSON.stringify(rounded(value ?? NaN, digits));
}

function rounded(value: number, digits: number | undefined): number {
  return digits === undefined || Number.isInteger(value) ? value : Number(value.toPrecision(digits));
}

function checkFinite(group: Group, name: string, values: Float64Array, nanAllowed: boolean): void {
  const at = values.findIndex((value) => !Number.isFinite(value) && !(nanAllowed && Number.isNaN(value)));
  if (at < 0) return;
  const turn = values.length === group.turns.length ? at : undefined;
  const problem = `${name} comes out as ${values[at]}: the numbers of this group are too large for the arithmetic`;
  throw new CreditError(group.id, turn, undefined, problem);
}

function missing(rule: CreditRule, group: Group, name: string): never {
  throw new Error(`rule "${rule.name}" gives no "${name}" for group "${group.id}"`);
}
