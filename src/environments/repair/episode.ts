import type { ProgramDetail } from '../../rollouts/turnDetail.ts';
import { repr } from '../../sandbox/repr.ts';
import type { Episode, Play, Verdict } from '../environment.ts';
import { feedbackText, firstFailure, repairPrompt, resultText } from './feedback.ts';
import type { Judgement, ProgramRunner } from './programRunner.ts';
import { reflectionKept, reflectionText } from './reflection.ts';
import type { RepairControls, RepairSettings } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';
import { programText } from './source.ts';
import { VISIBLE_TESTS } from './testChoice.ts';
import { PROGRAM, spell } from './vocabulary.ts';

/** What an episode is played with. */
export interface EpisodeSetup {
  readonly runner: ProgramRunner;
  readonly task: RepairTask;
  readonly controls: RepairControls;
  readonly mode: Play['mode'];
  readonly maxTurns: number;
  readonly reflection: RepairSettings['reflection'];
}

/**
 * One function being written. Each turn is a whole program; one that fails is shown the first test that it fails, in a
 * prompt that holds this attempt alone, until all tests pass or the turns are used up. In evaluations feedback shows
 * visible tests only, and the episode ends when these pass.
 *
 * Facts of a verdict; the value of a rollout is the largest over its turns:
 * - `solved` 1: all tests pass; `firstSolved` in the first turn, `repaired` in a later one
 * - `passRate`: share of the tests passed; `partial` 1: some but not all, `none` 1: not one
 * - `visible` 1: all visible tests pass; `hidden` 1: all others pass
 * - `reflected` 1: a reflection was written that says something, and `kept` 1: the program does what it says and nothing
 *   else; told of turns that were asked for one
 * - `syntaxError`, `unfinished` (no `<eos>`), `timeout` 1: what went wrong
 *
 * The state of a turn is its prompt, the action its program, behind a reflection where there is one, both as tokens.
 */
export class RepairEpisode implements Episode<'later'> {
  private over = false;

  constructor(
    private readonly setup: EpisodeSetup,
    private turn = 0,
    private prompt = setup.task.prompt,
    /** The program that the prompt shows. */
    private shown?: readonly number[],
  ) {}

  /** @throws {Error} when the episode is over. */
  async act(tokens: readonly number[]): Promise<Verdict> {
    if (this.over) throw new Error('the episode is over: start another with begin()');
    const { runner, task, mode, maxTurns } = this.setup;
    const turn = this.turn++;
    const state = spell(this.prompt);
    const last = this.turn === maxTurns;
    this.over = last;
    const judgement = await runner.judge(task, tokens);
    const shown = firstFailure(judgement, mode === 'evaluate' ? VISIBLE_TESTS : undefined);
    const ends = last || shown === undefined;
    this.over = ends;
    const reflected = reflectionFacts(this.shown, judgement);
    if (!ends) {
      this.prompt = repairPrompt(task, judgement, shown, this.setup.reflection === 'none' ? 'program' : 'reflection');
      if (this.setup.reflection !== 'none') this.shown = judgement.attempt;
    }
    const feedback = ends ? {} : { feedback: feedbackText(task, judgement, shown) };
    return {
      ...this.rewards(judgement, ends),
      solved: judgement.passed.every(Boolean),
      passed: judgement.passed.map(Number),
      ...(ends ? {} : { prompt: this.prompt }),
      state,
      action: judgement.complete ? spell(withReflection(judgement)) : 'unfinished',
      facts: { ...facts(judgement, turn), ...reflected },
      summary: summary(judgement),
      detail: { ...programDetail(task, judgement), ...feedback },
    };
  }

  /** Another episode at the same place; its verdicts do not touch this one's. */
  fork(): RepairEpisode {
    const copy = new RepairEpisode(this.setup, this.turn, this.prompt, this.shown);
    copy.over = this.over;
    return copy;
  }

  private rewards({ passed }: Judgement, ends: boolean): Pick<Verdict, 'reward' | 'components' | 'outcome'> {
    const rate = passRate(passed);
    const earned = (kind: RepairControls['turnReward']) => {
      // The model pays later (modelReward.ts).
      if (kind === 'model') return Number.NaN;
      if (kind === 'none') return 0;
      return kind === 'solved' ? Math.floor(rate) : rate;
    };
    const reward = earned(this.setup.controls.turnReward);
    if (!ends) return { reward, components: { turn: reward, outcome: 0 } };
    const outcome = earned(this.setup.controls.outcomeReward);
    return { reward, outcome, components: { turn: 0, outcome } };
  }
}

function passRate(passed: readonly boolean[]): number {
  return passed.filter(Boolean).length / passed.length;
}

function withReflection({ reflection, attempt }: Judgement): readonly number[] {
  return reflection ? [...reflection, PROGRAM, ...attempt] : attempt;
}

/** @param shown the program that was to be mended; undefined where no reflection was asked for */
function reflectionFacts(shown: readonly number[] | undefined, { reflection, attempt }: Judgement) {
  if (!shown) return {};
  const { readable, kept } = reflectionKept(shown, reflection ?? [], attempt);
  return { reflected: Number(readable), kept: Number(kept) };
}

function facts({ passed, complete, results }: Judgement, turn: number): Record<string, number> {
  const rate = passRate(passed);
  const raised = (name: string) => Number(results.some((result) => 'exception' in result && result.exception === name));
  return {
    solved: Number(rate === 1),
    firstSolved: Number(rate === 1 && turn === 0),
    repaired: Number(rate === 1 && turn > 0),
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

/** A program that is not Python fails every call in the same way. */
function isSyntaxError(results: Judgement['results']): boolean {
  return results.length > 0 && resultText(results[0]) === 'SyntaxError';
}

function summary({ passed, complete, results }: Judgement): string {
  if (!complete) return 'the program does not end';
  if (isSyntaxError(results)) return 'not Python: SyntaxError';
  const count = passed.filter(Boolean).length;
  if (count === passed.length) return `passes all ${count} tests`;
  return `passes ${count} of ${passed.length} tests`;
}

function programDetail(task: RepairTask, { attempt, reflection, results, passed }: Judgement): ProgramDetail {
  return {
    program: programText(attempt, task.signature, task.entry),
    ...(reflection ? { reflection: reflectionText(reflection) } : {}),
    tests: task.tests.map(({ args, want }, test) => ({
      args: args.map(repr).join(', '),
      want: repr(want),
      got: resultText(results[test]),
      passed: passed[test],
      visible: test < VISIBLE_TESTS,
    })),
  };
}
