import type { Episode, StepResult } from '../environment.ts';
import type { EpisodeSetup } from './episode.ts';
import { feedbackText, repairPrompt } from './feedback.ts';
import { passRate, programDetail, programFacts, programSummary, rewards } from './programResult.ts';
import type { ProgramEvaluation } from './programRunner.ts';
import {
  agreement,
  judgeTests,
  revealedTests,
  verificationDetail,
  verificationFacts,
  verificationSummary,
} from './verification.ts';
import { spell, VERIFY } from './vocabulary.ts';

/**
 * Episode of one function in which the policy tests its own programs. Turns 0, 2, ... are programs, and the turns
 * between them are verifications. A verification writes up to MAX_WRITTEN_TESTS tests for the previous program. The
 * prompt of the next program shows the first written test that this program fails. It shows only the task if no test
 * could be run.
 *
 * The episode ends when a program passes all tests that were run, or when the turns are used up. The policy never sees
 * a test of the task.
 *
 * Facts of a program are the facts of RepairEpisode. Facts of a verification:
 * - `testsWritten`, `testsDistinct`, `testsUnreadable`: numbers of tests; `testsAgree`: share that the right program
 *   passes
 * - `accepted` 1: the program passes all tests that were run
 * - `caught` 1, for wrong programs: the program fails a right test; `wronged` 1, for right programs: it fails a wrong
 *   test
 */
export class VerifyingEpisode implements Episode<'later'> {
  private over = false;

  constructor(
    private readonly setup: EpisodeSetup,
    private turn = 0,
    private prompt = setup.task.prompt,
    /** Evaluation of the newest program; undefined before the first one. */
    private judged?: ProgramEvaluation,
  ) {}

  /**
   * Returns the step result of a turn.
   * @throws {Error} if the episode is over
   */
  act(tokens: readonly number[]): Promise<StepResult> {
    if (this.over) return Promise.reject(new Error('the episode is over: start another with begin()'));
    const turn = this.turn++;
    this.over = this.turn === this.setup.maxTurns;
    return this.judged && turn % 2 === 1 ? this.verify(tokens, this.judged) : this.generate(tokens, turn);
  }

  /** Returns a separate episode in the same state. Its step results do not affect this episode. */
  fork(): VerifyingEpisode {
    const copy = new VerifyingEpisode(this.setup, this.turn, this.prompt, this.judged);
    copy.over = this.over;
    return copy;
  }

  private async generate(tokens: readonly number[], turn: number): Promise<StepResult> {
    const { runner, task, controls } = this.setup;
    const [state, ends] = [spell(this.prompt), this.over];
    const evaluation = await runner.judge(task, tokens);
    this.judged = evaluation;
    this.prompt = [...task.prompt, ...evaluation.attempt, VERIFY];
    return {
      ...rewards(controls, passRate(evaluation.passed), ends ? evaluation : undefined),
      solved: evaluation.passed.every(Boolean),
      passed: evaluation.passed.map(Number),
      ...(ends ? {} : { prompt: this.prompt }),
      state,
      action: evaluation.complete ? spell(evaluation.attempt) : 'unfinished',
      facts: programFacts(evaluation, turn === 0),
      summary: programSummary(evaluation),
      detail: programDetail(task, evaluation),
    };
  }

  private async verify(tokens: readonly number[], evaluation: ProgramEvaluation): Promise<StepResult> {
    const { runner, task, controls, mode } = this.setup;
    const state = spell(this.prompt);
    const tests = await judgeTests(runner, task, evaluation, tokens);
    const reported = revealedTests(tests, mode);
    const failed = reported.findIndex(({ passed }) => !passed);
    const right = evaluation.passed.every(Boolean);
    this.over ||= reported.length > 0 && failed < 0;
    const reportedTask = { ...task, tests: reported.map(({ test }) => test) };
    const observed = { ...evaluation, results: reported.map(({ result }) => result) };
    if (!this.over) this.prompt = failed < 0 ? task.prompt : repairPrompt(reportedTask, observed, failed);
    const feedback = this.over || failed < 0 ? {} : { feedback: feedbackText(reportedTask, observed, failed) };
    return {
      ...rewards(controls, agreement(tests), this.over ? evaluation : undefined),
      solved: right,
      ...(this.over ? {} : { prompt: this.prompt }),
      state,
      action: spell(tokens),
      facts: verificationFacts(tests, reported, right),
      summary: verificationSummary(tests, reported),
      detail: { ...verificationDetail(task, evaluation, tests, reported), ...feedback },
    };
  }
}
