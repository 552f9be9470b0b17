import type { AnswerCheck } from './courseResult.ts';

/** Maximum deviation of a right answer, for rounding in intermediate steps. */
const EXACT = 0.006;
const NEAR = 0.06;

/** Compares an answer with a number. A comma is read as a decimal point, and all minus signs are accepted. */
export function checkedNumber(text: string, expected: number): AnswerCheck {
  const plain = text.trim().replaceAll('−', '-').replaceAll('–', '-').replace(',', '.').replace(/^\+/, '');
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(plain)) return 'empty';
  const apart = Math.abs(Number(plain) - expected);
  if (apart <= EXACT) return 'right';
  return apart <= NEAR ? 'near' : 'wrong';
}
