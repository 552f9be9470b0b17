import { type Experiment, HEADLINE, side } from '../claim.ts';

// What the claims of both papers in this environment have in common.

export const ITER1 = { measured: 'iter1' } as const;
export const ITER3 = { measured: 'iter3' } as const;

export const GRPO_MT = side('grpo-mt');

/** Of a share: one point for what is claimed to be better. */
export const BETTER = 0.01;

/** An experiment of 50 updates, with the seeds of a headline unless told otherwise. */
export const training = (
  name: string,
  arms: readonly string[],
  more: Pick<Experiment, 'tests'> & Partial<Experiment>,
): Experiment => ({
  ...{ name, environment: 'repair', arms, steps: 50 },
  ...HEADLINE,
  ...more,
});
