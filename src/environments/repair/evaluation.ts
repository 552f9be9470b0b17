import type { CounterRandom } from '../../random/counter.ts';
import { CONTEXT, PROGRAM_LIMIT } from './repairSettings.ts';
import { VISIBLE_TESTS } from './testChoice.ts';
import { COMPLETE, FEEDBACK, REFLECT, VERIFY } from './vocabulary.ts';

/** The results of one program: passed[test], 0 or 1, as Verdict.passed. */
export type Passed = readonly number[];

/** Rates of attempts with feedback, over episodes of evaluation. */
export interface RefinementRates {
  /** [turns] Iter-1, Iter-2, ...: share of episodes whose last program by then passes all hidden tests. */
  readonly iterations: readonly number[];
  /** [turns] the same over all tests, visible ones too. */
  readonly all: readonly number[];
  /** Shares of first programs that pass some tests but not all, and none. */
  readonly partial: number;
  readonly none: number;
  /** (last iteration - Iter-1) / (1 - Iter-1): what feedback repairs of what failed at first; 0 where nothing failed. */
  readonly repairRate: number;
}

/**
 * Iter-k of evaluations with feedback, as Murphy evaluates: feedback shows visible tests, an episode stops when these pass,
 * and its last program is scored on the hidden ones.
 * @param episodes [episodes][turns up to `turns`] results in the order of the suite
 * @param turns most attempts
 * @throws {RangeError} where there is no episode, or one without an attempt or with too many
 */
export function refinementRates(
  episodes: readonly (readonly Passed[])[],
  turns: number,
  visible = VISIBLE_TESTS,
): RefinementRates {
  if (episodes.length === 0) throw new RangeError('there are no episodes to evaluate');
  const wrong = episodes.findIndex(({ length }) => length === 0 || length > turns);
  if (wrong >= 0) {
    throw new RangeError(`episode ${wrong} has ${episodes[wrong].length} attempts, and may have 1 to ${turns}`);
  }
  const share = (holds: (episode: readonly Passed[]) => boolean) => episodes.filter(holds).length / episodes.length;
  const each = (holds: (passed: Passed) => boolean) =>
    Array.from({ length: turns }, (_, turn) => share((episode) => holds(lastBy(episode, turn))));
  const iterations = each((passed) => passesHidden(passed, visible));
  const [first, last] = [iterations[0], iterations[turns - 1]];
  return {
    iterations,
    all: each((passed) => passed.every(Boolean)),
    partial: share(([passed]) => passed.some(Boolean) && !passed.every(Boolean)),
    none: share(([passed]) => !passed.some(Boolean)),
    repairRate: first === 1 ? 0 : (last - first) / (1 - first),
  };
}

/** The last program of an episode by a turn: one that stopped early keeps its own. @param turn from 0 */
function lastBy(episode: readonly Passed[], turn: number): Passed {
  return episode[Math.min(turn, episode.length - 1)];
}

/** True if a program passes all hidden tests. */
export function passesHidden(passed: Passed, visible = VISIBLE_TESTS): boolean {
  return passed.slice(visible).every(Boolean);
}

/** True if an evaluation stops after this program: feedback has nothing left to show. */
export function passesVisible(passed: Passed, visible = VISIBLE_TESTS): boolean {
  return passed.slice(0, visible).every(Boolean);
}

/**
 * Unbiased pass@k of one problem: 1 - C(n - c, k) / C(n, k) (Chen et al. 2021, "Evaluating Large Language Models Trained on
 * Code", equation 1), as a product that does not overflow.
 * @param samples n @param correct c of them
 * @throws {RangeError} where k is more than n, or c is not from 0 to n
 */
export function passAtK(samples: number, correct: number, k: number): number {
  const hasIntegers = [samples, correct, k].every(Number.isInteger);
  if (!hasIntegers || k < 1 || k > samples || correct < 0 || correct > samples) {
    throw new RangeError(`pass@${k} of ${correct} right among ${samples} samples is not defined`);
  }
  let allWrong = 1;
  for (let drawn = 0; drawn < k; drawn++) allWrong *= Math.max(0, samples - correct - drawn) / (samples - drawn);
  return 1 - allWrong;
}

/** pass@k, the mean over problems. @param problems [problems][samples] whether each is right */
export function meanPassAtK(problems: readonly (readonly boolean[])[], k: number): number {
  if (problems.length === 0) throw new RangeError('there are no problems to evaluate');
  const values = problems.map((samples) => passAtK(samples.length, samples.filter(Boolean).length, k));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** pass@k on hidden tests: of first programs, and of the last ones by the last iteration. */
export interface PassAt {
  readonly k: number;
  readonly first: number;
  readonly last: number;
}

/**
 * pass@k of evaluations with feedback; for k = 1 the first and the last of `refinementRates`.
 * @param tasks [tasks][samples][turns up to `turns`] results in the order of the suite
 * @throws {RangeError} where a k is more than the samples of a task
 */
export function refinementPassAt(
  tasks: readonly (readonly (readonly Passed[])[])[],
  turns: number,
  ks: readonly number[],
  visible = VISIBLE_TESTS,
): readonly PassAt[] {
  const right = (turn: number) =>
    tasks.map((samples) => samples.map((sample) => passesHidden(lastBy(sample, turn), visible)));
  const [first, last] = [right(0), right(turns - 1)];
  return ks.map((k) => ({ k, first: meanPassAtK(first, k), last: meanPassAtK(last, k) }));
}

/** Feedback that episodes of an evaluation get between turns: the truth, or one of the controls. */
export const FEEDBACK_CONTROLS = ['true', 'shuffled', 'retry'] as const;
export type FeedbackControl = (typeof FEEDBACK_CONTROLS)[number];

/**
 * The prompts of the next turn under a control, for all episodes that continue together. `shuffled`: each keeps its
 * attempt and gets the feedback of another. `retry`: each starts again from the prompt of its task. The gain with true
 * feedback over these controls is the effect of the feedback that the policy reads.
 * @param prompts [episodes] Verdict.prompt
 * @param fresh [episodes] the tasks' prompts
 */
export function controlledPrompts(
  control: FeedbackControl,
  prompts: readonly (readonly number[])[],
  fresh: readonly (readonly number[])[],
  random: CounterRandom,
): readonly (readonly number[])[] {
  if (control === 'true') return prompts;
  // Prompts that request tests have no feedback yet, and prompts without feedback are those of the tasks.
  const isProgramRequest = (prompt: readonly number[]) => prompt[prompt.length - 1] !== VERIFY;
  if (control === 'retry') return prompts.map((prompt, index) => (isProgramRequest(prompt) ? fresh[index] : prompt));
  // The text of a policy may contain the token too: feedback begins at the last one.
  const starts = prompts.map((prompt) => (isProgramRequest(prompt) ? prompt.lastIndexOf(FEEDBACK) : -1));
  const withFeedback = [...prompts.keys()].filter((index) => starts[index] >= 0);
  const order = random.permutation(withFeedback.length);
  const swapped = [...prompts];
  withFeedback.forEach((index, position) => {
    const from = withFeedback[order[position]];
    const feedback = prompts[from].slice(starts[from]);
    // Long feedback to a long attempt: room for the next program comes first.
    const capacity = CONTEXT - PROGRAM_LIMIT - feedback.length;
    swapped[index] = [...prompts[index].slice(0, Math.min(starts[index], capacity)), ...feedback];
  });
  return swapped;
}

/** A prompt that asks for a program, where it asked for a reflection first. */
export function requestProgram(prompt: readonly number[]): readonly number[] {
  return prompt[prompt.length - 1] === REFLECT ? [...prompt.slice(0, -1), COMPLETE] : prompt;
}
