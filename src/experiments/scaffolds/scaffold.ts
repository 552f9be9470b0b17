// A scaffold is a procedure for using a trained policy in an evaluation. It selects the programs that the policy
// refines next, and the program that is the answer. The visible tests decide, together with a verifier if there is one;
// hidden tests never decide.

/** Those of any world. */
export const PLAIN_SCAFFOLDS = ['refine', 'best-of-n', 'lats', 'dot'] as const;
/** Those of policies that write reflections. */
export const REFLECTING_SCAFFOLDS = ['reflexion', 'dot-reflections', 'dot-bank'] as const;
export const SCAFFOLDS = [...PLAIN_SCAFFOLDS, ...REFLECTING_SCAFFOLDS, 'shuffled-reflexion'] as const;
export type ScaffoldName = (typeof SCAFFOLDS)[number];

/** Returns true if a scaffold requests reflections. */
export function usesReflections(name: ScaffoldName): boolean {
  return !PLAIN_SCAFFOLDS.some((candidate) => candidate === name);
}

/** Returns true if a scaffold gives a program several refinements. */
export function expands(name: ScaffoldName): boolean {
  return ['lats', 'dot', 'dot-reflections', 'dot-bank'].includes(name);
}

/** In place of a program to refine: a new one, from the task alone. */
export const FRESH = -1;

/** A program that was tried for a task, as a scaffold sees it. */
export interface AttemptedProgram {
  /** Index of the program that it refines, or FRESH. */
  readonly parent: number;
  /** Share of the visible tests that it passes, from 0 to 1. */
  readonly visible: number;
  /** Score of a verifier, from 0 to 1; absent without a verifier. */
  readonly verified?: number;
  /** Text that the policy wrote: the same text is the same program. */
  readonly program: string;
  /**
   * Announcement of the reflection before the program: the same text is the same reflection, and '' is a reflection
   * without content. Absent if no reflection was requested.
   */
  readonly reflection?: string;
}

/** Pure functions of what was tried for one task, in the order in which it was sampled. */
export interface Scaffold {
  /**
   * Returns the programs that the next programs refine, one entry per program: indices of `attempts`, or FRESH. An empty
   * list ends the search. The caller ends the search at its budget; if the budget has room for fewer, the first ones
   * are sampled.
   * @param draw from 0 up to 1, for random choices
   */
  next(attempts: readonly AttemptedProgram[], draw: number): readonly number[];
  /**
   * Index of the program that is the answer. Of the first b programs it is the answer of a search with a budget of b.
   * @throws {RangeError} where nothing was tried
   */
  answer(attempts: readonly AttemptedProgram[]): number;
}

/** Returns true if a program passes all visible tests: no feedback is left to show. */
export function passes({ visible }: AttemptedProgram): boolean {
  return visible === 1;
}

/**
 * Returns the index of the best program; of several equal programs, the index of the first one tried.
 * @param keys values that decide, the larger the better; a later key decides only if the earlier keys are equal
 */
export function bestOf(
  attempts: readonly AttemptedProgram[],
  keys: (attempt: AttemptedProgram) => readonly number[],
): number {
  if (attempts.length === 0) throw new RangeError('nothing was tried: there is no answer');
  const values = attempts.map(keys);
  const better = (first: readonly number[], second: readonly number[]) => {
    const at = first.findIndex((value, key) => value !== second[key]);
    return at >= 0 && first[at] > second[at];
  };
  return values.reduce((best, value, index) => (better(value, values[best]) ? index : best), 0);
}
