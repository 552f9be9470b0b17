import type { Group } from '../../rollouts/forest.ts';
import { allEqual, mean, type Normalization, standardDeviation } from '../arithmetic/normalize.ts';

// Arithmetic as text with substituted numbers: `symbol = expression = value`, with mathematical operators. Numbers are
// rounded to five digits, so the value agrees with the expression up to this rounding.

/** Returns the index of the trajectory that has a turn, or -1. */
export function trajectoryAt(all: readonly { readonly turns: readonly number[] }[], turn: number): number {
  return all.findIndex(({ turns }) => turns.includes(turn));
}

/** Maximum number of terms of a sum in the text. For more terms, the text gives their number. */
const WRITTEN_OUT = 8;

/** Formats a number of an expression: 0.25, −0.2, 0.000001. */
export function formatNumber(value: number): string {
  const text = String(Number(value.toPrecision(5)));
  return text.replace('-', '−');
}

/** Formats a power of ten as in a formula: 10⁻⁶. */
export function powerOfTen(value: number): string {
  const exponent = String(Number(value.toExponential().split('e')[1]));
  return `10${exponent.replace(/./g, (character) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(character)])}`;
}

/** Formats a number as an operand. Negative numbers are in parentheses. */
export function operand(value: number): string {
  return value < 0 ? `(${formatNumber(value)})` : formatNumber(value);
}

/** Formats a sum: `1 + 0.2 + (−1)`. For more than eight terms, gives their number. */
export function sumOf(values: ArrayLike<number>): string {
  return sumOfTerms(Array.from(values, (value, index) => (index === 0 ? formatNumber(value) : operand(value))));
}

/** Formats a sum whose terms are already text. For more than eight terms, gives their number. */
export function sumOfTerms(terms: readonly string[]): string {
  return terms.length > WRITTEN_OUT ? `(sum of ${terms.length})` : terms.join(' + ');
}

/** Formats a weighted sum: `2 · 1 + 3 · (−0.5)`. For more than eight terms, gives their number. */
export function weightedSumOf(weights: ArrayLike<number>, values: ArrayLike<number>): string {
  if (values.length > WRITTEN_OUT) return `sum of ${values.length}`;
  return Array.from(values, (value, index) => `${formatNumber(weights[index])} · ${operand(value)}`).join(' + ');
}

/** Formats `symbol = expression = value`, or `symbol = value` if the expression is the value. */
export function equation(symbol: string, expression: string, value: number): string {
  return expression === formatNumber(value)
    ? `${symbol} = ${expression}`
    : `${symbol} = ${expression} = ${formatNumber(value)}`;
}

/** Formats a mean: `mean R = (1 + 0.2 + (−1)) / 3 = 0.06667`. */
export function meanLine(symbol: string, values: ArrayLike<number>): string {
  const text = values.length === 1 ? sumOf(values) : `(${sumOf(values)}) / ${values.length}`;
  return equation(`mean ${symbol}`, text, mean(values));
}

/** Member of a normalised group, with the options of the normalisation. */
export interface Member {
  /** Symbols of the advantage and of the normalised value. */
  readonly symbols: readonly [advantage: string, value: string];
  /** Values of all members of the group [members]. */
  readonly values: ArrayLike<number>;
  /** Index of the member that the lines describe. */
  readonly at: number;
  readonly normalization: Normalization;
  /** Number of rollouts in the group, if the members are only part of the group (`normalize`). */
  readonly rollouts?: number;
}

/** Returns the steps of `normalize` for one member, one per line. */
export function normalizedLines({ symbols: [A, x], values, at, normalization, rollouts = 1 }: Member): string[] {
  const { ddof, epsilon, scale, singleton } = normalization;
  const value = values[at];
  if (values.length === 1) {
    if (singleton === 'zero' || rollouts > 1)
      return [`${A} = 0, because ${x} = ${formatNumber(value)} is the only value`];
    const divisor = scale === 'std' ? ` / (1 + ${formatNumber(epsilon)})` : '';
    return [equation(A, `${formatNumber(value)}${divisor}`, value / (scale === 'std' ? 1 + epsilon : 1))];
  }
  if (allEqual(values)) return [`${A} = 0, because all ${values.length} have ${x} = ${formatNumber(value)}`];
  const center = mean(values);
  const centred = `${formatNumber(value)} − ${operand(center)}`;
  if (scale === 'none') return [meanLine(x, values), equation(A, centred, value - center)];
  const std = standardDeviation(values, ddof);
  return [
    ...deviationLines(x, values, normalization),
    equation(A, `(${centred}) / (${formatNumber(std)} + ${formatNumber(epsilon)})`, (value - center) / (std + epsilon)),
  ];
}

/** Returns the lines `mean R = ...` and `std R = √(((1 − 0.3)² + (0.2 − 0.3)²) / 1) = ...` of at least two values. */
export function deviationLines(symbol: string, values: ArrayLike<number>, { ddof }: Normalization): string[] {
  const center = operand(mean(values));
  const squares =
    values.length > WRITTEN_OUT
      ? `sum of ${values.length} squares`
      : Array.from(values, (value) => `(${formatNumber(value)} − ${center})²`).join(' + ');
  const std = standardDeviation(values, ddof);
  return [meanLine(symbol, values), equation(`std ${symbol}`, `√((${squares}) / ${values.length - ddof})`, std)];
}

/**
 * Returns the lines of the baseline and the advantage of one turn.
 * @param members compared turns, including the turn itself
 * @param values [turns] S
 * @param A advantage of the turn
 */
export function peerLines(
  turn: number,
  members: readonly number[],
  values: Float64Array,
  A: number,
  rollouts = 1,
): string[] {
  const shared = formatNumber(values[turn]);
  const peers = members.filter((peer) => peer !== turn).map((peer) => values[peer]);
  if (peers.length > 0) return [meanLine('S_j', peers), equation('A', `${shared} − ${operand(mean(peers))}`, A)];
  return [rollouts > 1 ? equation('A', `${shared} · ${rollouts} / ${rollouts - 1}`, A) : `A = S = ${shared}`];
}

/**
 * Returns the line `G = r + γ G_next` of a turn with substituted numbers.
 * @param path turns of its trajectory
 * @param G [turns]
 */
export function returnLine(
  turn: number,
  { turns }: Group,
  path: readonly number[],
  G: ArrayLike<number>,
  { gamma, bonus }: { readonly gamma: number; readonly bonus: number },
): string {
  const { reward, validates, outcome } = turns[turn];
  const next = path[path.indexOf(turn) + 1];
  const rewards = [reward, ...(validates && bonus > 0 ? [bonus] : [])];
  if (next === undefined)
    return equation('G', sumOf([...rewards, ...(outcome === undefined ? [] : [outcome])]), G[turn]);
  return equation('G', `${sumOf(rewards)} + ${formatNumber(gamma)} · ${operand(G[next])}`, G[turn]);
}
