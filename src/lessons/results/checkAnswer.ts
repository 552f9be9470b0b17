import type { AnswerCheck } from './courseResult.ts';

/** Maximum deviation of a right answer, for rounding in intermediate steps. */
const EXACT = 0.006;
const NEAR = 0.06;

/** Holds what a reader wrote against the number: commas and minus signs of any kind are read. */
export function checkedNumber(text: string, expected: number): AnswerCheck {
  const plain = text.trim().replaceAll('−', '-').replaceAll('–', '-').replace(',', '.').replace(/^\+/, '');
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(plain)) return 'empty';
  const apart = Math.abs(Number(plain) - expected);
  if (apart <= EXACT) return 'right';
  return apart <= NEAR ? 'near' : 'wrong';
}
