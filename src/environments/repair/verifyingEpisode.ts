import type { Episode, Verdict } from '../environment.ts';
import type { EpisodeSetup } from './episode.ts';
import { feedbackText, repairPrompt } from './feedback.ts';
import type { Judgement } from './programRunner.ts';
import { passRate, programDetail, programFacts, programSummary, rewards } from './programVerdict.ts';
import {
  agreement,
  judgeTests,
  toldTests,
  verificationDetail,
  verificationFacts,
  verificationSummary,
} from './verification.ts';
import { spell, VERIFY } from './vocabulary.ts';

/**
 * One function being written by a policy that tests it itself: turns 0, 2, ... are programs, the turns between them
 * verifications. A verification writes up to MOST_WRITTEN tests for the program before it. The next program sees the first of
 * them that its predecessor fails, in the words of feedback, or the task alone where none could be run. An episode ends
 * when a program passes all tests that were run, or the turns are used up. No test of the task is ever shown.
 *
 * Facts of a program are those of RepairEpisode. Facts of a verification:
 * - `testsWritten`, `testsDistinct`, `testsUnreadable`: how many; `testsAgree`: share that the right program passes
 * - `accepted` 1: the program passes all that were run
 * - `caught` 1, of wrong programs: a right test fails it; `wronged` 1, of right programs: a wrong test fails it
 */
export class VerifyingEpisode implements Episode<'later'> {
  private over = false;

  constructor(
    private readonly setup: EpisodeSetup,
    private turn = 0,
    private prompt = setup.task.prompt,
    /** The newest program, from the first on. */
    private judged?: Judgement,
  ) {}

  /** @throws {Error} when the episode is over. */
  act(tokens: readonly number[]): Promise<Verdict> {
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

  private async generate(tokens: readonly number[], turn: number): Promise<Verdict> {
    const { runner, task, controls } = this.setup;
    const [state, ends] = [spell(this.prompt), this.over];
    const judgement = await runner.judge(task, tokens);
    this.judged = judgement;
    this.prompt = [...task.prompt, ...judgement.attempt, VERIFY];
    return {
      ...rewards(controls, passRate(judgement.passed), ends ? judgement : undefined),
      solved: judgement.passed.every(Boolean),
      passed: judgement.passed.map(Number),
      ...(ends ? {} : { prompt: this.prompt }),
      state,
      action: judgement.complete ? spell(judgement.attempt) : 'unfinished',
      facts: programFacts(judgement, turn === 0),
      summary: programSummary(judgement),
      detail: programDetail(task, judgement),
    };
  }

  private async verify(tokens: readonly number[], judged: Judgement): Promise<Verdict> {
    const { runner, task, controls, mode } = this.setup;
    const state = spell(this.prompt);
    const tests = await judgeTests(runner, task, judged, tokens);
    const told = toldTests(tests, mode);
    const failed = told.findIndex(({ passed }) => !passed);
    const right = judged.passed.every(Boolean);
    this.over ||= told.length > 0 && failed < 0;
    const own = { ...task, tests: told.map(({ test }) => test) };
    const seen = { ...judged, results: told.map(({ result }) => result) };
    if (!this.over) this.prompt = failed < 0 ? task.prompt : repairPrompt(own, seen, failed);
    const feedback = this.over || failed < 0 ? {} : { feedback: feedbackText(own, seen, failed) };
    return {
      ...rewards(controls, agreement(tests), this.over ? judged : undefined),
      solved: right,
      ...(this.over ? {} : { prompt: this.prompt }),
      state,
      action: spell(tokens),
      facts: verificationFacts(tests, told, right),
      summary: verificationSummary(tests, told),
      detail: { ...verificationDetail(task, judged, tests, told), ...feedback },
    };
  }
}
