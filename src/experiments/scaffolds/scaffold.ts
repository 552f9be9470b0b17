import { log } from '../../numbers/exponential.ts';

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

/** Settings of a tree search. */
export interface LatsSettings {
  /** Number of refinements of an expanded program. */
  readonly children: number;
  /** Exploration weight w of UCT. */
  readonly exploration: number;
  /** Weight λ of the verifier in the value, if there is a verifier [0 to 1]. */
  readonly verifierWeight: number;
}

/** Exploration weight of the authors' code for programs. The two parts of the value have equal weight. */
export const LATS: Omit<LatsSettings, 'children'> = { exploration: 1, verifierWeight: 0.5 };

/** Number of visits of each program, and mean value over the program and its descendants. */
export interface TreeStatistics {
  readonly visits: readonly number[];
  readonly means: readonly number[];
}

/**
 * Language Agent Tree Search (Zhou et al. 2024, arXiv 2310.04406) over programs. As in the authors' code for programs,
 * the root is the first program. An expanded program gets `children` refinements. Each refinement is executed
 * immediately, so there is no further simulation. The value of a program is backed up to all programs that it descends
 * from.
 *
 * The value is λ · verifier + (1 − λ) · share of visible tests passed. The paper combines a score of the language model
 * with self-consistency instead. Without a verifier, the value is the share of visible tests. The search ends when a
 * program passes all visible tests. The answer is that program, or otherwise the program with the highest value.
 *
 * Unspecified or changed: the value of the root program counts as a visit of the root. Of children with equal UCT, the
 * first is selected. There is no reflection.
 */
export function lats(settings: LatsSettings): Scaffold {
  const value = (attempt: AttemptedProgram) => searchValue(attempt, settings.verifierWeight);
  return {
    next(attempts) {
      if (attempts.length === 0) return [FRESH];
      if (attempts.some(passes)) return [];
      const leaf = selected(attempts, treeStatistics(attempts, value), settings.exploration);
      return new Array<number>(settings.children).fill(leaf);
    },
    answer: (attempts) => bestOf(attempts, (attempt) => [Number(passes(attempt)), value(attempt)]),
  };
}

/** Computes λ · verifier + (1 − λ) · share of visible tests passed. */
function searchValue({ visible, verified }: AttemptedProgram, weight: number): number {
  return verified === undefined ? visible : weight * verified + (1 - weight) * visible;
}

/**
 * Backs up values: the value of a program counts as a visit of the program and of all programs that it descends from.
 */
function treeStatistics(
  attempts: readonly AttemptedProgram[],
  value: (attempt: AttemptedProgram) => number,
): TreeStatistics {
  const visits = attempts.map(() => 0);
  const sums = attempts.map(() => 0);
  for (const [index, attempt] of attempts.entries()) {
    for (let at = index; at !== FRESH; at = attempts[at].parent) {
      visits[at]++;
      sums[at] += value(attempt);
    }
  }
  return { visits, means: sums.map((sum, index) => sum / visits[index]) };
}

/** Computes UCT: mean + w sqrt(ln N(parent) / N). */
function uct(mean: number, visits: number, parentVisits: number, exploration: number): number {
  return mean + exploration * Math.sqrt(log(parentVisits) / visits);
}

/** Descends from the root to the child with the highest UCT until a program has no child. */
function selected(
  attempts: readonly AttemptedProgram[],
  { visits, means }: TreeStatistics,
  exploration: number,
): number {
  let at = 0;
  for (;;) {
    const children = [...attempts.keys()].filter((index) => attempts[index].parent === at);
    if (children.length === 0) return at;
    const score = (child: number) => uct(means[child], visits[child], visits[at], exploration);
    at = children.reduce((best, child) => (score(child) > score(best) ? child : best));
  }
}

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
