import type { PairedTest } from '../../environments/claim.ts';
import { meanInterval, meanTest } from '../inference/inference.ts';

/** What numbers say of a claim. */
export type Status = 'appears' | 'opposite' | 'does not appear' | 'undecided';

/** A verdict on differences, one a seed. */
export interface Judgement {
  readonly status: Status;
  readonly mean: number;
  /** 95 % interval of the mean, Student's t over the seeds. */
  readonly low: number;
  readonly high: number;
  /** How probable such a mean were, if the bound that decided were the truth: what a correction starts from. */
  readonly probability: number;
}

/** Verdicts are at this level: of 95 % intervals, or of corrected probabilities. */
export const LEVEL = 0.05;

/**
 * A claim appears where the 95 % interval lies on the claimed side of the margin, the opposite where it lies on the other
 * side of the margin, and it does not appear where the interval lies within the margin on both sides. All else is
 * undecided, as is one seed.
 */
export function judge(
  { asks, margin }: Pick<PairedTest, 'asks' | 'margin'>,
  differences: readonly number[],
): Judgement {
  const { mean, low, high } = meanInterval(differences);
  const claimed = asks === 'more' ? margin : -margin;
  const [at, against] = [meanTest(differences, claimed), meanTest(differences, -margin)];
  const found = { mean, low, high };
  if (low > claimed) return { ...found, status: 'appears', probability: at };
  if (high < -margin) return { ...found, status: 'opposite', probability: against };
  const between = mean > -margin && mean < claimed;
  const within = asks === 'more' && between && low >= -margin && high <= margin;
  const probability = between ? Math.max(at, against) : mean >= claimed ? at : against;
  return { ...found, status: within ? 'does not appear' : 'undecided', probability };
}
