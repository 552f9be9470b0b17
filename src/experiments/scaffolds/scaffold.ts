// A scaffold is how a trained policy is used where it is evaluated: which programs it is asked to refine next, and which of
// them is the answer. What decides is the visible tests, and a verifier where there is one; hidden tests never do.

/** Those of any world. */
export const PLAIN_SCAFFOLDS = ['refine', 'best-of-n', 'lats', 'dot'] as const;
/** Those of policies that write reflections. */
export const REFLECTING_SCAFFOLDS = ['reflexion', 'dot-reflections', 'dot-bank'] as const;
export const SCAFFOLDS = [...PLAIN_SCAFFOLDS, ...REFLECTING_SCAFFOLDS, 'shuffled-reflexion'] as const;
export type ScaffoldName = (typeof SCAFFOLDS)[number];

/** Whether a scaffold asks for reflections. */
export function asksReflections(name: ScaffoldName): boolean {
  return !PLAIN_SCAFFOLDS.some((one) => one === name);
}

/** Whether a scaffold gives a program several refinements. */
export function expands(name: ScaffoldName): boolean {
  return ['lats', 'dot', 'dot-reflections', 'dot-bank'].includes(name);
}

/** In place of a program to refine: a new one, from the task alone. */
export const FRESH = -1;

/** A program that was tried for a task, as a scaffold sees it. */
export interface Tried {
  /** Index of the program that it refines, or FRESH. */
  readonly parent: number;
  /** Share of the visible tests that it passes, from 0 to 1. */
  readonly visible: number;
  /** What a verifier says of it, from 0 to 1; absent without a verifier. */
  readonly verified?: number;
  /** What the policy wrote: the same text is the same program. */
  readonly program: string;
  /** What stands before it announces: the same text is the same reflection, '' is none that says anything; absent where nobody asked. */
  readonly reflection?: string;
}

/** Pure functions of what was tried for one task, in the order in which it was sampled. */
export interface Scaffold {
  /**
   * What the next programs go on from, an entry a program: indices of `tried`, or FRESH. None: the search is over. Who plays
   * it ends it at its budget; where that has room for fewer, the first ones are sampled.
   * @param draw from 0 up to 1, for what chooses by lot
   */
  next(tried: readonly Tried[], draw: number): readonly number[];
  /**
   * Index of the program that is the answer. Of the first b programs it is the answer of a search with a budget of b.
   * @throws {RangeError} where nothing was tried
   */
  answer(tried: readonly Tried[]): number;
}

/** Whether a program passes all visible tests: no feedback is left to show. */
export function passes({ visible }: Tried): boolean {
  return visible === 1;
}

/**
 * Index of the best program; of several that are alike, the first one tried.
 * @param keys what decides, the larger the better; a later key only where the earlier ones are the same
 */
export function bestOf(tried: readonly Tried[], keys: (one: Tried) => readonly number[]): number {
  if (tried.length === 0) throw new RangeError('nothing was tried: there is no answer');
  const values = tried.map(keys);
  const better = (one: readonly number[], other: readonly number[]) => {
    const at = one.findIndex((value, key) => value !== other[key]);
    return at >= 0 && one[at] > other[at];
  };
  return values.reduce((best, value, index) => (better(value, values[best]) ? index : best), 0);
}
