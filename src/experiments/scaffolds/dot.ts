import { bestOf, FRESH, passes, type Scaffold, type Tried } from './scaffold.ts';

/** Times as many programs as it wants new ones that a level may sample. */
const PATIENCE = 2;

/** Returns true if a try differs from all earlier tries. */
type IsNew = (tried: readonly Tried[], index: number) => boolean;

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
    next(tried, draw) {
      if (tried.length === 0) return [FRESH];
      if (tried.some(passes)) return [];
      const level = levelOf(tried);
      const fresh = level.filter((index) => isNew(tried, index));
      const { parent } = tried[tried.length - 1];
      // The first program is a separate level.
      const wanted = tried.length === 1 ? 0 : Math.min(width - fresh.length, PATIENCE * width - level.length);
      if (wanted > 0) return new Array<number>(wanted).fill(parent);
      const known = [...tried.keys()].filter((index) => isNew(tried, index));
      const from = fresh.length === 0 && parent === FRESH ? known : fresh;
      const chosen = from.length > 0 ? drawn(tried, from, draw) : FRESH;
      return new Array<number>(width).fill(chosen);
    },
    answer: (tried) => bestOf(tried, ({ visible }) => [visible]),
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
function levelOf(tried: readonly Tried[]): readonly number[] {
  const { parent } = tried[tried.length - 1];
  return [...tried.keys()].slice(tried.findLastIndex((one) => one.parent !== parent) + 1);
}

function isNewProgram(tried: readonly Tried[], index: number): boolean {
  return tried.findIndex(({ program }) => program === tried[index].program) === index;
}

/**
 * Returns true if the reflection before a program announces a change that was not yet announced of the program that it
 * refines.
 */
export function isNewReflection(tried: readonly Tried[], index: number): boolean {
  const { parent, reflection } = tried[index];
  if (parent === FRESH) return isNewProgram(tried, index);
  const same = (one: Tried) =>
    one.parent !== FRESH && tried[one.parent].program === tried[parent].program && one.reflection === reflection;
  return Boolean(reflection) && tried.findIndex(same) === index;
}

/**
 * Draws one of these, in proportion to the visible tests that it passes, or with equal probability if none passes any.
 */
function drawn(tried: readonly Tried[], from: readonly number[], draw: number): number {
  const sum = from.reduce((total, index) => total + tried[index].visible, 0);
  const weight = (index: number) => (sum > 0 ? tried[index].visible / sum : 1 / from.length);
  let left = draw;
  for (const index of from) {
    left -= weight(index);
    if (left < 0) return index;
  }
  return from[from.length - 1];
}
