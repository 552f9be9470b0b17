import { FRESH, passes, type Scaffold } from './scaffold.ts';

/**
 * Reflexion (Shinn et al. 2023, arXiv 2303.11366) over programs: one attempt after another, until one passes all
 * visible tests; the answer is the last attempt. Before each attempt except the first, the policy writes a reflection:
 * the planned changes in the program that failed. As in the authors' code for programs
 * (`programming_runs/reflexion.py`), an attempt has the last program, its feedback and the last reflection before it,
 * and no earlier one: a memory of one experience.
 *
 * Changed: one policy is actor and self-reflection, and writes both in one turn. A reflection is a few edits in special
 * tokens (src/environments/repair/reflection.ts), and the policy has learned to write them.
 */
export const REFLEXION: Scaffold = {
  next(attempts) {
    if (attempts.length === 0) return [FRESH];
    const last = attempts.length - 1;
    return passes(attempts[last]) ? [] : [last];
  },
  answer: ({ length }) => length - 1,
};
