import type { CounterRandom } from '../../random/counter.ts';
import { CONTEXT, PROGRAM_LIMIT, VISIBLE_TESTS } from './repairSettings.ts';
import { COMPLETE, FEEDBACK, REFLECT, VERIFY } from './vocabulary.ts';

/** Test results of one program, 0 or 1, [tests], as in `StepResult.passed`. */
export type Passed = readonly number[];

/** Rates of evaluations with feedback, over episodes. */
export interface RefinementRates {
  /** Share of episodes whose last program passes all hidden tests after Iter-1, Iter-2, ..., [turns]. */
  readonly iterations: readonly number[];
  /** The same share over all tests, including visible tests, [turns]. */
  readonly all: readonly number[];
  /** Share of first programs that pass some tests but not all. `none` is the share that passes no test. */
  readonly partial: number;
  readonly none: number;
  /**
   * Share of the episodes that fail at first and that feedback repairs: (last iteration - Iter-1) / (1 - Iter-1). It is
   * 0 if all pass at first.
   */
  readonly repairRate: number;
}

/**
 * Computes Iter-k of evaluations with feedback, as in Murphy. Feedback shows visible tests, an episode stops when these
 * pass, and its last program is evaluated on the hidden tests.
 * @param episodes results in the order of the suite, [episodes][turns up to `turns`]
 * @param turns maximum number of attempts
 * @throws {RangeError} if there are no episodes, or if an episode has no attempt or too many
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

/**
 * Returns the last program of an episode at a turn. An episode that stopped early keeps its last program.
 * @param turn from 0
 */
function lastBy(episode: readonly Passed[], turn: number): Passed {
  return episode[Math.min(turn, episode.length - 1)];
}

/** Returns true if a program passes all hidden tests. */
export function passesHidden(passed: Passed, visible = VISIBLE_TESTS): boolean {
  return passed.slice(visible).every(Boolean);
}

/**
 * Computes the unbiased pass@k of one problem, 1 - C(n - c, k) / C(n, k). The product form does not overflow. Source:
 * Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1.
 * @param samples number n of samples
 * @param correct number c of right samples
 * @throws {RangeError} if k is more than n, or if c is not from 0 to n
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

/**
 * Computes the mean pass@k over problems.
 * @param problems true for each right sample, [problems][samples]
 */
export function meanPassAtK(problems: readonly (readonly boolean[])[], k: number): number {
  if (problems.length === 0) throw new RangeError('there are no problems to evaluate');
  const values = problems.map((samples) => passAtK(samples.length, samples.filter(Boolean).length, k));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** pass@k on hidden tests, of first programs and of the programs at the last iteration. */
export interface PassAt {
  readonly k: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Computes pass@k of evaluations with feedback. For k = 1 it equals the first and the last value of `refinementRates`.
 * @param tasks results in the order of the suite, [tasks][samples][turns up to `turns`]
 * @throws {RangeError} if a k is more than the number of samples of a task
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

/** Feedback between the turns of an evaluation: true feedback, or one of two controls. */
export const FEEDBACK_CONTROLS = ['true', 'shuffled', 'retry'] as const;
export type FeedbackControl = (typeof FEEDBACK_CONTROLS)[number];

/**
 * Returns the prompts of the next turn under a control, for all episodes that continue. `shuffled`: each prompt keeps
 * its attempt and has the feedback of another episode. `retry`: each episode starts again from the prompt of its task.
 * The gain of true feedback over these controls is the effect of the feedback that the policy reads.
 * @param prompts next prompts (`StepResult.prompt`), [episodes]
 * @param fresh prompts of the tasks, [episodes]
 */
export function controlledPrompts(
  control: FeedbackControl,
  prompts: readonly (readonly number[])[],
  fresh: readonly (readonly number[])[],
  random: CounterRandom,
): readonly (readonly number[])[] {
  if (control === 'true') return prompts;
  // Prompts that request tests have no feedback yet. Prompts without feedback are prompts of tasks.
  const isProgramRequest = (prompt: readonly number[]) => prompt[prompt.length - 1] !== VERIFY;
  if (control === 'retry') return prompts.map((prompt, index) => (isProgramRequest(prompt) ? fresh[index] : prompt));
  // The text of a policy can contain the token, too, so feedback begins at its last occurrence.
  const starts = prompts.map((prompt) => (isProgramRequest(prompt) ? prompt.lastIndexOf(FEEDBACK) : -1));
  const withFeedback = [...prompts.keys()].filter((index) => starts[index] >= 0);
  const order = random.permutation(withFeedback.length);
  const swapped = [...prompts];
  withFeedback.forEach((index, position) => {
    const from = withFeedback[order[position]];
    const feedback = prompts[from].slice(starts[from]);
    // Long feedback can exceed the context, so the attempt is cut to leave capacity for the next program.
    const capacity = CONTEXT - PROGRAM_LIMIT - feedback.length;
    swapped[index] = [...prompts[index].slice(0, Math.min(starts[index], capacity)), ...feedback];
  });
  return swapped;
}

/** Returns a prompt that requests a program in place of a reflection. */
export function requestProgram(prompt: readonly number[]): readonly number[] {
  return prompt[prompt.length - 1] === REFLECT ? [...prompt.slice(0, -1), COMPLETE] : prompt;
}
