import type { Episode, EpisodeOptions, StepResult } from '../environment.ts';
import { feedbackText, firstFailure, repairPrompt } from './feedback.ts';
import { passRate, programDetail, programFacts, programSummary, rewards } from './programResult.ts';
import type { ProgramEvaluation, ProgramRunner } from './programRunner.ts';
import { matchReflection } from './reflection.ts';
import type { RepairControls, RepairSettings } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { VISIBLE_TESTS } from './testChoice.ts';
import { PROGRAM, spell } from './vocabulary.ts';

/** Dependencies and settings of an episode. */
export interface EpisodeSetup {
  readonly runner: ProgramRunner;
  readonly task: RepairTask;
  readonly controls: RepairControls;
  readonly mode: EpisodeOptions['mode'];
  readonly maxTurns: number;
  readonly reflection: RepairSettings['reflection'];
}

/**
 * Episode in which the policy writes one function. Each turn is a complete program. If a program fails, the next prompt
 * contains only this attempt and the first test that it fails. The episode ends when all tests pass or the turns are
 * used up. In evaluations, feedback shows visible tests only, and the episode ends when these pass.
 *
 * Facts of a step result; the value of a rollout is the maximum over its turns:
 * - `solved` 1: all tests pass; `firstSolved` in the first turn, `repaired` in a later turn
 * - `passRate`: share of passed tests; `partial` 1: some tests pass but not all, `none` 1: no test passes
 * - `visible` 1: all visible tests pass; `hidden` 1: all hidden tests pass
 * - `reflected` 1: the turn has a readable reflection; `followed` 1: the program makes exactly the announced changes.
 *   Both are reported only for turns with a request for a reflection
 * - `syntaxError`, `unfinished` (no `<eos>`), `timeout` 1: kind of the error
 *
 * The state of a turn is its prompt. The action is its program, after the reflection if there is one. Both are tokens.
 */
export class RepairEpisode implements Episode<'later'> {
  private over = false;

  constructor(
    private readonly setup: EpisodeSetup,
    private turn = 0,
    private prompt = setup.task.prompt,
    /** Failed program in the prompt; undefined if no reflection is requested. */
    private failure?: readonly number[],
  ) {}

  /**
   * Returns the step result of a turn.
   * @throws {Error} if the episode is over
   */
  async act(tokens: readonly number[]): Promise<StepResult> {
    if (this.over) throw new Error('the episode is over: start another with begin()');
    const { runner, task, mode, maxTurns } = this.setup;
    const turn = this.turn++;
    const state = spell(this.prompt);
    const last = this.turn === maxTurns;
    this.over = last;
    const evaluation = await runner.judge(task, tokens);
    const failure = firstFailure(evaluation, mode === 'evaluate' ? VISIBLE_TESTS : undefined);
    const ends = last || failure === undefined;
    this.over = ends;
    const reflected = reflectionFacts(this.failure, evaluation);
    if (!ends) {
      this.prompt = repairPrompt(
        task,
        evaluation,
        failure,
        this.setup.reflection === 'none' ? 'program' : 'reflection',
      );
      if (this.setup.reflection !== 'none') this.failure = evaluation.attempt;
    }
    const feedback = ends ? {} : { feedback: feedbackText(task, evaluation, failure) };
    return {
      ...rewards(this.setup.controls, passRate(evaluation.passed), ends ? evaluation : undefined),
      solved: evaluation.passed.every(Boolean),
      passed: evaluation.passed.map(Number),
      ...(ends ? {} : { prompt: this.prompt }),
      state,
      action: evaluation.complete ? spell(withReflection(evaluation)) : 'unfinished',
      facts: { ...programFacts(evaluation, turn === 0), ...reflected },
      summary: programSummary(evaluation),
      detail: { ...programDetail(task, evaluation), ...feedback },
    };
  }

  /** Returns a separate episode in the same state. Its step results do not affect this episode. */
  fork(): RepairEpisode {
    const copy = new RepairEpisode(this.setup, this.turn, this.prompt, this.failure);
    copy.over = this.over;
    return copy;
  }
}

function withReflection({ reflection, attempt }: ProgramEvaluation): readonly number[] {
  return reflection ? [...reflection, PROGRAM, ...attempt] : attempt;
}

/**
 * Returns the facts of a reflection.
 * @param failure the failed program; undefined if no reflection was requested
 */
function reflectionFacts(failure: readonly number[] | undefined, { reflection, attempt }: ProgramEvaluation) {
  if (!failure) return {};
  const { readable, followed } = matchReflection(failure, reflection ?? [], attempt);
  return { reflected: Number(readable), followed: Number(followed) };
}
