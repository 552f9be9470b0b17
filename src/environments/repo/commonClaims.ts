import { type ClaimTest, type Experiment, HEADLINE, side } from '../claim.ts';

// What the claims and the findings of this environment have in common.

export const SOLVED = { measured: 'solved' } as const;

export const RTMC = side('rtmc');
export const OUTCOME = side('grpo-or');
export const SILENT = side('rtmc', { kappa: 0 });
/** Of a share. */
export const BETTER = 0.01;

/** 80 updates at the usual learning rate, with the seeds of a headline unless told otherwise. */
export const training = (
  arms: readonly string[],
  tests: readonly ClaimTest[],
  more: Partial<Experiment> = {},
): Experiment => ({
  ...{ name: '1e-4', environment: 'repo', arms, steps: 80, tests },
  ...HEADLINE,
  ...more,
});
