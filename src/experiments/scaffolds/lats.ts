import { log } from '../../numbers/logarithm.ts';
import { type AttemptedProgram, bestOf, FRESH, passes, type Scaffold } from './scaffold.ts';

/** Settings of a tree search. */
export interface LatsSettings {
  /** Refinements of a program that is expanded. */
  readonly children: number;
  /** w of UCT. */
  readonly exploration: number;
  /** λ: weight of the verifier in the value, where there is a verifier. */
  readonly verifierWeight: number;
}

/** The exploration of the authors' code for programs; the two halves of the value weigh the same. */
export const LATS: Omit<LatsSettings, 'children'> = { exploration: 1, verifierWeight: 0.5 };

/** Number of visits of the search to each program, and the mean of the values at the program and below it. */
export interface TreeStatistics {
  readonly visits: readonly number[];
  readonly means: readonly number[];
}

/**
 * Language Agent Tree Search (Zhou et al. 2024, arXiv 2310.04406) over programs. As in the authors' code for programs, the root
 * is the first program; an expanded program gets `children` refinements, each of which is run at once, so there is no
 * further simulation; its value goes to itself and to all programs that it descends from. The value is
 * λ · verifier + (1 − λ) · visible tests passed, where the paper mixes what the model says with self-consistency; without a
 * verifier it is the share of visible tests. The search is over when a program passes all visible tests. The
 * answer is that program, or else the one of highest value.
 *
 * Left open or changed: the value of the root's own program counts as a visit of the root; among equal UCT the elder child
 * is taken; there is no reflection.
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

/** λ · verifier + (1 − λ) · visible tests passed. */
function searchValue({ visible, verified }: AttemptedProgram, weight: number): number {
  return verified === undefined ? visible : weight * verified + (1 - weight) * visible;
}

/** Backpropagation: a program's value is a visit of itself and of all programs that it descends from. */
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

/** UCT: mean + w sqrt(ln N(parent) / N). */
export function uct(mean: number, visits: number, parentVisits: number, exploration: number): number {
  return mean + exploration * Math.sqrt(log(parentVisits) / visits);
}

/** Descends from the root to the child of highest UCT, until the program has no child. */
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
