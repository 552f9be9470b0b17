import { type AttemptedProgram, bestOf, FRESH, passes, type Scaffold } from './scaffold.ts';

/** Maximum number of samples of a level, relative to its width. */
const SAMPLE_FACTOR = 2;

/** Returns true if an attempt counts as new, compared with all earlier attempts. */
type IsNew = (attempts: readonly AttemptedProgram[], index: number) => boolean;

/**
 * Diversity of Thoughts (Lingam et al. 2025, ICLR) without reflections. In each level, one program gets several
 * refinements. If none of them passes all visible tests, one is drawn in proportion to the visible tests that it
 * passes. The next level refines the drawn program.
 *
 * Changed: the paper requests reflections that differ from earlier ones. Here, a program that was already attempted
 * does not count. It is replaced by another sample from the same budget, up to twice the width. Only new programs are
 * drawn. A level without new programs is followed by programs from the task alone. If these are not new either, the
 * draw is among all new programs of the search. The answer is the program that passes the most visible tests.
 * @param width number of new refinements of a level; 3 in the authors' code
 */
export function dot(width: number, isNew: IsNew = isNewProgram): Scaffold {
  return {
    next(attempts, draw) {
      if (attempts.length === 0) return [FRESH];
      if (attempts.some(passes)) return [];
      const level = levelOf(attempts);
      const fresh = level.filter((index) => isNew(attempts, index));
      const { parent } = attempts[attempts.length - 1];
      // The first level has only the first program, so no further samples are drawn.
      const remaining =
        attempts.length === 1 ? 0 : Math.min(width - fresh.length, SAMPLE_FACTOR * width - level.length);
      if (remaining > 0) return new Array<number>(remaining).fill(parent);
      const known = [...attempts.keys()].filter((index) => isNew(attempts, index));
      const from = fresh.length === 0 && parent === FRESH ? known : fresh;
      const chosen = from.length > 0 ? drawn(attempts, from, draw) : FRESH;
      return new Array<number>(width).fill(chosen);
    },
    answer: (attempts) => bestOf(attempts, ({ visible }) => [visible]),
  };
}

/**
 * Diversity of Thoughts with reflections. A refinement follows a reflection. The refinement does not count if its
 * reflection announces no change. It also does not count if the same change of the same program was already announced.
 * It is then replaced by another sample, as in `dot`. The resulting program does not matter.
 *
 * Changed: the authors' prompt contains all reflections of the task so far and requests three different reflections
 * before any program is written. Here, the policy has no earlier reflections and writes reflection and program in one
 * turn. A repeated reflection therefore costs a program. Equal announcements about different programs count as
 * different reflections, because they refer to lines of different programs.
 */
export function dotReflections(width: number): Scaffold {
  return dot(width, isNewReflection);
}

/** Returns the indices of the last programs, which all refine the same program. */
function levelOf(attempts: readonly AttemptedProgram[]): readonly number[] {
  const { parent } = attempts[attempts.length - 1];
  return [...attempts.keys()].slice(attempts.findLastIndex((attempt) => attempt.parent !== parent) + 1);
}

function isNewProgram(attempts: readonly AttemptedProgram[], index: number): boolean {
  return attempts.findIndex(({ program }) => program === attempts[index].program) === index;
}

/**
 * Returns true if the reflection before a program announces a change that was not announced before for the refined
 * program.
 */
export function isNewReflection(attempts: readonly AttemptedProgram[], index: number): boolean {
  const { parent, reflection } = attempts[index];
  if (parent === FRESH) return isNewProgram(attempts, index);
  const same = (attempt: AttemptedProgram) =>
    attempt.parent !== FRESH &&
    attempts[attempt.parent].program === attempts[parent].program &&
    attempt.reflection === reflection;
  return Boolean(reflection) && attempts.findIndex(same) === index;
}

/**
 * Draws an index in proportion to the visible tests that its program passes. All have equal probability if none passes
 * any.
 */
function drawn(attempts: readonly AttemptedProgram[], from: readonly number[], draw: number): number {
  const sum = from.reduce((total, index) => total + attempts[index].visible, 0);
  const weight = (index: number) => (sum > 0 ? attempts[index].visible / sum : 1 / from.length);
  let left = draw;
  for (const index of from) {
    left -= weight(index);
    if (left < 0) return index;
  }
  return from[from.length - 1];
}
