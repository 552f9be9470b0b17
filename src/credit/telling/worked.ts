import type { Normalization } from '../arithmetic/normalize.ts';

// Arithmetic with the numbers put in, as text: `symbol = expression = value`, with the operators of mathematics. Numbers
// are rounded to five digits, so the value is that of the expression up to such rounding.

/** Which of the trajectories a turn belongs to. */
export function trajectoryAt(all: readonly { readonly turns: readonly number[] }[], turn: number): number {
  return all.findIndex(({ turns }) => turns.includes(turn));
}

/** Members that a sum is written out for; of more, the number is told. */
const WRITTEN_OUT = 8;

/** A number in an expression: 0.25, −0.2, 0.000001. */
export function shown(value: number): string {
  const text = String(Number(value.toPrecision(5)));
  return text.replace('-', '−');
}

/** The same as an operand: negative numbers in parentheses. */
export function operand(value: number): string {
  return value < 0 ? `(${shown(value)})` : shown(value);
}

/** `1 + 0.2 + (−1)`; more than eight are told by their number. */
export function sumOf(values: ArrayLike<number>): string {
  if (values.length > WRITTEN_OUT) return `(sum of ${values.length})`;
  const terms = Array.from(values);
  return terms.map((value, index) => (index === 0 ? shown(value) : operand(value))).join(' + ');
}

/** `symbol = expression = value`, or `symbol = value` where the expression is the value. */
export function equation(symbol: string, expression: string, value: number): string {
  return expression === shown(value) ? `${symbol} = ${expression}` : `${symbol} = ${expression} = ${shown(value)}`;
}

/** `mean R = (1 + 0.2 + (−1)) / 3 = 0.06667` */
function meanLine(symbol: string, values: ArrayLike<number>, mean: number): string {
  return equation(
    `mean ${symbol}`,
    values.length === 1 ? sumOf(values) : `(${sumOf(values)}) / ${values.length}`,
    mean,
  );
}

/** A member of a group that was normalised, with what it was normalised by. */
export interface Member {
  /** What the advantage is called, and what is normalised. */
  readonly symbols: readonly [advantage: string, value: string];
  /** [members] */
  readonly values: ArrayLike<number>;
  /** Which of them the lines are about. */
  readonly at: number;
  readonly how: Normalization;
}

/** The steps of `normalize` for one member. */
export function normalizedLines({ symbols: [A, x], values, at, how }: Member): string[] {
  const n = values.length;
  const all = Array.from(values);
  const value = all[at];
  if (n === 1) {
    if (how.singleton === 'zero') return [`${A} = 0, because ${x} = ${shown(value)} stands alone`];
    const divisor = how.scale === 'std' ? ` / (1 + ${shown(how.epsilon)})` : '';
    return [equation(A, `${shown(value)}${divisor}`, value / (how.scale === 'std' ? 1 + how.epsilon : 1))];
  }
  if (all.every((other) => other === value)) return [`${A} = 0, because all ${n} have ${x} = ${shown(value)}`];
  const mean = all.reduce((sum, one) => sum + one, 0) / n;
  const centred = `${shown(value)} − ${operand(mean)}`;
  if (how.scale === 'none') return [meanLine(x, all, mean), equation(A, centred, value - mean)];
  const std = Math.sqrt(all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - how.ddof));
  return [
    ...deviationLines(x, all, how),
    equation(A, `(${centred}) / (${shown(std)} + ${shown(how.epsilon)})`, (value - mean) / (std + how.epsilon)),
  ];
}

/** `mean R = ...` and `std R = √(((1 − 0.3)² + (0.2 − 0.3)²) / 1) = ...` of at least two values. */
export function deviationLines(symbol: string, values: ArrayLike<number>, { ddof }: Normalization): string[] {
  const all = Array.from(values);
  const [mean, divisor] = [all.reduce((sum, one) => sum + one, 0) / all.length, all.length - ddof];
  const std = Math.sqrt(all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / divisor);
  const squares =
    all.length > WRITTEN_OUT
      ? `sum of ${all.length} squares`
      : all.map((value) => `(${shown(value)} − ${operand(mean)})²`).join(' + ');
  return [meanLine(symbol, all, mean), equation(`std ${symbol}`, `√((${squares}) / ${divisor})`, std)];
}
