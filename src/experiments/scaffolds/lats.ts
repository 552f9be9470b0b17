import { log } from '../../numbers/exponential.ts';
import { type AttemptedProgram, bestOf, FRESH, passes, type Scaffold } from './scaffold.ts';

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
export function treeStatistics(
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
export function uct(mean: number, visits: number, parentVisits: number, exploration: number): number {
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
