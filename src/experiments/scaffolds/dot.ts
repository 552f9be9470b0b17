import { type AttemptedProgram, bestOf, FRESH, passes, type Scaffold } from './scaffold.ts';

/** Times as many programs as it wants new ones that a level may sample. */
const SAMPLE_FACTOR = 2;

/** Returns true if a try differs from all earlier tries. */
type IsNew = (attempts: readonly AttemptedProgram[], index: number) => boolean;

/**
 * Diversity of Thoughts (Lingam et al. 2025, ICLR) without reflections. Level by level, a program gets several refinements;
 * unless one passes all visible tests, one of them, drawn in proportion to the visible tests that it passes, is refined in the
 * next level. The paper asks for reflections unlike those that there were; here a program that was tried before does not
 * count, and another is sampled in its place, out of the same budget, up to twice the width. The draw is among new programs. A
 * level that brings none is followed by new programs from the task alone, and where these are known too, by a draw among
 * all. The answer passes the most visible tests.
 * @param width new refinements of a level; 3 in the authors' code
 */
export function dot(width: number, isNew: IsNew = isNewProgram): Scaffold {
  return {
    next(attempts, draw) {
      if (attempts.length === 0) return [FRESH];
      if (attempts.some(passes)) return [];
      const level = levelOf(attempts);
      const fresh = level.filter((index) => isNew(attempts, index));
      const { parent } = attempts[attempts.length - 1];
      // The first program is a separate level.
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
 * Diversity of Thoughts with its reflections. A refinement follows a reflection. The refinement does not count if the
 * same change was announced of the same program before, or no change was announced. Then another refinement is sampled
 * in its place, as above. The program that the refinement leads to does not matter.
 *
 * Changed: the authors' prompt has all reflections of the task so far and requests three different reflections, before
 * any program is written. Here the policy sees no earlier reflections and writes reflection and program in one turn, so
 * that a repeated reflection costs a program. An announcement about another program is another reflection: its lines
 * are the lines of that program.
 */
export function dotReflections(width: number): Scaffold {
  return dot(width, isNewReflection);
}

/** Returns the programs at the end that refine the same program. */
function levelOf(attempts: readonly AttemptedProgram[]): readonly number[] {
  const { parent } = attempts[attempts.length - 1];
  return [...attempts.keys()].slice(attempts.findLastIndex((attempt) => attempt.parent !== parent) + 1);
}

function isNewProgram(attempts: readonly AttemptedProgram[], index: number): boolean {
  return attempts.findIndex(({ program }) => program === attempts[index].program) === index;
}

/**
 * Returns true if the reflection before a program announces a change that was not yet announced of the program that it
 * refines.
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
 * Draws one of these, in proportion to the visible tests that it passes, or with equal probability if none passes any.
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
