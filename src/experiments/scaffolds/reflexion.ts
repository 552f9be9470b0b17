import { FRESH, passes, type Scaffold } from './scaffold.ts';

/**
 * Reflexion (Shinn et al. 2023, arXiv 2303.11366) over programs: sequential attempts until one passes all visible
 * tests. The answer is the last attempt. Before each attempt except the first, the policy writes a reflection: the
 * planned changes of the failed program. As in the authors' code for programs (`programming_runs/reflexion.py`), the
 * context of an attempt contains the last program, its feedback and the last reflection. This is a memory of one
 * experience.
 *
 * Changed: one policy is actor and self-reflection model, and writes both texts in one turn. A reflection is a list of
 * edits in special tokens (src/environments/repair/reflection.ts) that the policy is trained to write.
 */
export const REFLEXION: Scaffold = {
  next(attempts) {
    if (attempts.length === 0) return [FRESH];
    const last = attempts.length - 1;
    return passes(attempts[last]) ? [] : [last];
  },
  answer: ({ length }) => length - 1,
};
