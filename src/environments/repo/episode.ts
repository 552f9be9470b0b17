import type { Episode, StepResult } from '../environment.ts';
import { type Action, parseAction } from './actions.ts';
import { differences, type RepoProblem } from './problem.ts';
import type { RepoControls } from './rewards.ts';
import { actionSignature, Trace } from './signatures.ts';
import type { TestRunner } from './testing.ts';
import { toolDetail } from './toolText.ts';
import { tokenNumber } from './vocabulary.ts';
import { type Result, Workspace } from './workingCopy.ts';

/** Settings by which an episode is run. */
export interface EpisodeSettings {
  readonly controls: RepoControls;
  /** Most steps; the last one ends the episode, finished or not. */
  readonly steps: number;
}

/**
 * One repository being repaired. Every turn is one action of one to four tokens, and the reply `<o> ... <a>` what the tool
 * says to it. It ends with `finish`, or after the last step, which solves nothing.
 *
 * Every turn earns the reward of a valid or an invalid action, the last one too; outcome is what `finish` brings. A turn
 * validates when it is the first `test` or `execute app.py` after a successful edit. The control `potential` is Φ of a state
 * in which every edit was checked, and a turn earns γ Φ(after) − Φ(before).
 *
 * Facts of a verdict; the value of a rollout is the largest over its turns:
 * - `invalid` 1: the action was invalid
 * - `edited` 1: a file was changed by now
 * - `tested` 1: tests ran after the last successful edit, and then it finished (last turn)
 * - `finished` 1: it ended with `finish` (last turn)
 * - `steps`: turns so far
 * - `changed` 1: the turn changed a file; `fixed` 1: with it fewer tokens differ from the right files, `spoiled` 1: more
 * - `shown` 1: it viewed a token that differs
 */
export class RepoEpisode implements Episode<'later'> {
  private trace = new Trace();
  private steps = 0;
  private over = false;
  private edited = false;
  /** An edit that nothing has checked since. */
  private unchecked = false;
  private testedSinceEdit = false;
  private workspace: Workspace;

  constructor(
    private readonly problem: RepoProblem,
    private readonly runner: TestRunner,
    private readonly settings: EpisodeSettings,
  ) {
    this.workspace = new Workspace(problem, runner);
  }

  fork(): RepoEpisode {
    const fork = new RepoEpisode(this.problem, this.runner, this.settings);
    fork.trace = this.trace.copy();
    fork.workspace = this.workspace.copy();
    fork.steps = this.steps;
    fork.over = this.over;
    fork.edited = this.edited;
    fork.unchecked = this.unchecked;
    fork.testedSinceEdit = this.testedSinceEdit;
    return fork;
  }

  /**
   * @throws {Error} when the episode is over
   * @throws {RangeError} for tokens that are no single action
   */
  async act(tokens: readonly number[]): Promise<StepResult> {
    return (await this.perform(parseAction(tokens))).stepResult;
  }

  /** The same, by names; also what the tool said. */
  async perform(action: Action): Promise<{ readonly stepResult: StepResult; readonly result: Result }> {
    if (this.over) throw new Error('the episode is over: start another with begin()');
    const { controls, steps } = this.settings;
    const { potential } = this;
    const states = this.trace.states(this.workspace.repository);
    this.steps++;
    this.over = action.tool === 'finish' || this.steps >= steps;
    const before = this.wrongTokens;
    const result = await this.workspace.apply(action);
    const worse = this.wrongTokens - before;
    this.trace.add(action, result, result.observation, result.hits);
    const validates = this.unchecked && checks(action);
    this.note(action, result, validates);
    const signatures = { state: states[controls.granularity], states, action: actionSignature(action, result) };
    const evaluated = this.judge(action, result, potential);
    const facts = { ...evaluated.facts, ...progress(action, result, worse) };
    return { stepResult: { ...evaluated, facts, ...signatures, validates }, result };
  }

  /** Tokens that differ from the right files: edits that a repair takes at least. */
  private get wrongTokens(): number {
    return differences(this.problem.right, this.workspace.repository).length;
  }

  /** The files as they are. */
  get repository() {
    return this.workspace.repository;
  }

  /** No further turn is possible. */
  get isOver() {
    return this.over;
  }

  private note({ tool }: Action, { valid }: Result, validates: boolean): void {
    if (validates) this.unchecked = false;
    if (tool === 'test') this.testedSinceEdit = true;
    if (tool === 'modify' && valid) {
      this.edited = true;
      this.unchecked = true;
      this.testedSinceEdit = false;
    }
  }

  /** Φ of the state: every edit was checked. 0 at the end. */
  private get potential(): number {
    return this.edited && !this.unchecked && !this.over ? this.settings.controls.potential : 0;
  }

  /** @param before Φ of the state before the action */
  private judge(action: Action, { valid, observation, report, summary, answer }: Result, before: number): StepResult {
    const { controls } = this.settings;
    const solved = report?.solved ?? false;
    const finished = report !== undefined;
    const shaping = controls.rtmcGamma * this.potential - before;
    const components = {
      valid: valid ? controls.rewardValid : 0,
      invalid: valid ? 0 : controls.rewardInvalid,
      ...(controls.potential === 0 ? {} : { shaping }),
    };
    const facts = { invalid: Number(!valid), edited: Number(this.edited), steps: this.steps };
    const details = { summary, tool: toolDetail(action, answer) };
    const reward = components.valid + components.invalid + (components.shaping ?? 0);
    if (!this.over) {
      return { reward, components, reply: ['<o>', ...observation, '<a>'].map(tokenNumber), facts, ...details };
    }
    const outcome = solved ? controls.outcomeSolved : 0;
    const tested = finished && this.edited && this.testedSinceEdit;
    return {
      reward,
      components: { ...components, solved: outcome },
      outcome,
      solved,
      ...(finished ? {} : { truncated: true }),
      facts: { ...facts, finished: Number(finished), tested: Number(tested) },
      ...details,
    };
  }
}

/**
 * Effect of a step on the repair, for a step that has an effect.
 * @param worse tokens more than before that differ from the right files
 */
function progress({ tool }: Action, { valid, answer }: Result, worse: number): Readonly<Record<string, number>> {
  const wrong = answer.some((line) => line.some(({ mark }) => mark === 'wrong'));
  const did = {
    changed: tool === 'modify' && valid,
    fixed: worse < 0,
    spoiled: worse > 0,
    shown: tool === 'view' && wrong,
  };
  return Object.fromEntries(Object.entries(did).flatMap(([fact, is]) => (is ? [[fact, 1]] : [])));
}

/** Actions that say whether an edit was right. */
function checks({ tool, args }: Action): boolean {
  return tool === 'test' || (tool === 'execute' && args[0] === 'app.py');
}
