import { ABLATION, type Experiment, HEADLINE, side } from '../claim.ts';

// What the claims of both papers in this environment have in common.

export const ITER1 = { measured: 'iter1' } as const;
export const ITER3 = { measured: 'iter3' } as const;
export const ITER5 = { measured: 'iter5' } as const;
/** Iter-3 on problems that the warm start hardly ever solves at once, and on those that it nearly always does. */
export const HARD = { measured: 'iter3:hard' } as const;
export const EASY = { measured: 'iter3:easy' } as const;

/** Five attempts, and problems apart by eight first programs of the warm start. */
export const FIVE_TRIES = { iterations: 5, strata: 8 } as const;

/** Eight programs under each scaffold, and what is solved with them. */
export const EIGHT_PROGRAMS = { budget: 8 } as const;
export const under = (scaffold: string) => ({ measured: `scaffold:${scaffold}` });

export const DIFFICULTY =
  'Hard are problems of which the warm start solves fewer than 2 of 8 first programs, easy those of which it solves 6 or ' +
  'more; the papers go by the labels of their benchmarks.';

export const GRPO_MT = side('grpo-mt');

/** What Murphy's claims are about. */
export const MARS = side('murphy-mars');

/** Of a share: three points for what is claimed to be kept. */
export const ALIKE = 0.03;

export const MURPHY_SMALL =
  'A policy of three layers of width 64 writes programs of up to 44 tokens for 738 synthetic problems; the paper trains ' +
  'models of 1.7B parameters and more on KodCode and evaluates on HumanEval, MBPP and LiveCodeBench.';
export const MURPHY_LAYOUT =
  'Trees have 6 first programs and 4 continuations of each (8 and 8 in the paper); every arm has about 174 programs an update.';

/** Of a share: one point for what is claimed to be better. */
export const BETTER = 0.01;

/** Times: few updates, in runs of their own, which nothing else on the machine should disturb. */
export const TIMED = { ...ABLATION, steps: 20 } as const;
export const ALONE = 'The times are those of whatever machine this was run on, which should do nothing else.';

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
