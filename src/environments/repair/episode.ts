import { repr } from '@turnwise/python-sandbox/repr';
import type { ProgramDetail } from '../../rollouts/rolloutBatch.ts';
import type { Episode, EpisodeOptions, StepResult } from '../environment.ts';
import { feedbackText, firstFailure, repairPrompt, resultText } from './feedback.ts';
import type { ProgramEvaluation, ProgramRunner } from './programRunner.ts';
import { matchReflection, reflectionText } from './reflection.ts';
import { type RepairControls, type RepairSettings, VISIBLE_TESTS } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { programText } from './source.ts';
import {
  agreement,
  judgeTests,
  revealedTests,
  verificationDetail,
  verificationFacts,
  verificationSummary,
} from './verification.ts';
import { PROGRAM, spell, VERIFY } from './vocabulary.ts';

// Descriptions of a program for all kinds of episodes.

/**
 * Returns the rewards of a turn, and of the episode if it ends.
 * @param rate share of the possible points of the turn: passed tests of its program, or correct tests that it writes
 * @param last last program of the episode; undefined if the episode continues
 */
function rewards(
  { turnReward, outcomeReward }: RepairControls,
  rate: number,
  last: ProgramEvaluation | undefined,
): Pick<StepResult, 'reward' | 'components' | 'outcome'> {
  const reward = computeReward(turnReward, rate);
  if (!last) return { reward, components: { turn: reward, outcome: 0 } };
  const outcome = computeReward(outcomeReward, passRate(last.passed));
  return { reward, outcome, components: { turn: 0, outcome } };
}

function computeReward(kind: RepairControls['turnReward'], rate: number): number {
  // The reward model sets the reward later (payByModel).
  if (kind === 'model') return Number.NaN;
  if (kind === 'none') return 0;
  return kind === 'solved' ? Math.floor(rate) : rate;
}

/** Returns the share of passed tests. */
function passRate(passed: readonly boolean[]): number {
  return passed.filter(Boolean).length / passed.length;
}

/**
 * Returns the facts of a program.
 * @param first true for the first program of its episode
 */
function programFacts({ passed, complete, results }: ProgramEvaluation, first: boolean): Record<string, number> {
  const rate = passRate(passed);
  const raised = (name: string) => Number(results.some((result) => 'exception' in result && result.exception === name));
  return {
    solved: Number(rate === 1),
    firstSolved: Number(rate === 1 && first),
    repaired: Number(rate === 1 && !first),
    passRate: rate,
    partial: Number(rate > 0 && rate < 1),
    none: Number(rate === 0),
    visible: Number(passed.slice(0, VISIBLE_TESTS).every(Boolean)),
    hidden: Number(passed.slice(VISIBLE_TESTS).every(Boolean)),
    syntaxError: Number(complete && isSyntaxError(results)),
    unfinished: Number(!complete),
    timeout: raised('Timeout'),
  };
}

/** Returns true if a program is not valid Python. Such a program fails every call in the same way. */
function isSyntaxError(results: ProgramEvaluation['results']): boolean {
  return results.length > 0 && resultText(results[0]) === 'SyntaxError';
}

/** Returns a description of the turn in one short sentence. */
function programSummary({ passed, complete, results }: ProgramEvaluation): string {
  if (!complete) return 'the program does not end';
  if (isSyntaxError(results)) return 'not Python: SyntaxError';
  const count = passed.filter(Boolean).length;
  if (count === passed.length) return `passes all ${count} tests`;
  return `passes ${count} of ${passed.length} tests`;
}

/** Returns details of a program for users. */
function programDetail(task: RepairTask, { attempt, reflection, results, passed }: ProgramEvaluation): ProgramDetail {
  return {
    program: programText(attempt, task.signature, task.entry),
    ...(reflection ? { reflection: reflectionText(reflection) } : {}),
    tests: task.tests.map(({ args, expected }, test) => ({
      args: args.map(repr).join(', '),
      expected: repr(expected),
      got: resultText(results[test]),
      passed: passed[test],
      visible: test < VISIBLE_TESTS,
    })),
  };
}

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
