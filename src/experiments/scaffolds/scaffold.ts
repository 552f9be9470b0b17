// A scaffold is a procedure that uses a trained policy in an evaluation. It selects the programs to refine next, and
// the program that is the answer. Its decisions depend on the visible tests, and on the verifier if there is one. They
// never depend on hidden tests.

/** Scaffolds that work in all worlds. */
export const PLAIN_SCAFFOLDS = ['refine', 'best-of-n', 'lats', 'dot'] as const;
/** Scaffolds that require a policy that writes reflections. */
export const REFLECTING_SCAFFOLDS = ['reflexion', 'dot-reflections', 'dot-bank'] as const;
export const SCAFFOLDS = [...PLAIN_SCAFFOLDS, ...REFLECTING_SCAFFOLDS, 'shuffled-reflexion'] as const;
export type ScaffoldName = (typeof SCAFFOLDS)[number];

/** Returns true if a scaffold requests reflections. */
export function usesReflections(name: ScaffoldName): boolean {
  return !PLAIN_SCAFFOLDS.some((candidate) => candidate === name);
}

/** Returns true if a scaffold refines a program several times. */
export function expands(name: ScaffoldName): boolean {
  return ['lats', 'dot', 'dot-reflections', 'dot-bank'].includes(name);
}

/** Parent of a program that is written from the task alone. */
export const FRESH = -1;

/** Attempted program of a task, with the data that a scaffold reads. */
export interface AttemptedProgram {
  /** Index of the refined program, or FRESH. */
  readonly parent: number;
  /** Share of the visible tests that the program passes [0 to 1]. */
  readonly visible: number;
  /** Score of the verifier [0 to 1]; absent without a verifier. */
  readonly verified?: number;
  /** Text of the program. Equal texts are the same program. */
  readonly program: string;
  /**
   * Announcement of the reflection before the program. Equal texts are the same reflection. The text is empty for a
   * reflection without content, and absent if no reflection was requested.
   */
  readonly reflection?: string;
}

/** Pure functions of the attempts of one task, in the order in which they were sampled. */
export interface Scaffold {
  /**
   * Returns the parents of the next programs, one entry per program: indices of `attempts`, or FRESH. An empty list
   * ends the search. If the budget has room for fewer programs, the caller samples the first ones.
   * @param draw random number, 0 to less than 1
   */
  next(attempts: readonly AttemptedProgram[], draw: number): readonly number[];
  /**
   * Returns the index of the program that is the answer. The answer among the first b programs is the answer of a
   * search with budget b.
   * @throws {RangeError} if there are no attempts
   */
  answer(attempts: readonly AttemptedProgram[]): number;
}

/** Returns true if a program passes all visible tests. Such a program has no feedback for a refinement. */
export function passes({ visible }: AttemptedProgram): boolean {
  return visible === 1;
}

/**
 * Returns the index of the best program; of equal programs, the index of the first.
 * @param keys sort keys in order of priority; larger is better
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
