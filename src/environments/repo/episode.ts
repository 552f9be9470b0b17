import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Episode, StepResult } from '../environment.ts';
import { GRANULARITIES, type Granularity, type RepoControls } from './repoSettings.ts';
import { differences, type RepoProblem, type Repository, repositoryKey } from './repository.ts';
import type { TestRunner } from './testing.ts';
import { type Action, isScope, parseAction, tokenNumber } from './vocabulary.ts';
import { type Result, toolDetail, Workspace } from './workingCopy.ts';

/** Returns four hex digits of the MD5 of the replaced token followed by its replacement. */
export function editHash(old: string, replacement: string): string {
  return bytesToHex(md5(utf8ToBytes(old + replacement))).slice(0, 4);
}

/** Success of an action. */
export interface Done {
  readonly valid: boolean;
  /** True if `execute` did not crash and `test` had no failing test. */
  readonly ok: boolean;
}

/**
 * Returns the signature of an action, for example `view:full@core.py`, `view:partial[1]@core.py`, `search:top@.`,
 * `modify:replace:9f3a@core.py`, `create@lib.py`, `execute@app.py:ok`, `test@tests:error`, `think` or `finish`. The
 * signature of an invalid action ends with `:error`.
 */
export function actionSignature({ tool, args }: Action, { valid, ok }: Done): string {
  const error = valid ? '' : ':error';
  const result = valid && ok ? ':ok' : ':error';
  switch (tool) {
    case 'view': {
      const [file, scope] = args;
      // A valid partial view has the form of the paper. An invalid scope remains in the signature.
      const scopeText = valid && isScope(scope) && scope !== 'full' ? `partial[${scope.slice(1)}]` : scope;
      return `view:${scopeText}@${file}${error}`;
    }
    case 'search':
      return `search:${args[0]}@.${error}`;
    case 'modify':
      return `modify:replace:${editHash(args[1], args[2])}@${args[0]}${error}`;
    case 'create':
      return `create@${args[0]}${error}`;
    case 'execute':
      return `execute@${args[0]}${result}`;
    case 'test':
      return `test@tests${result}`;
    case 'malformed':
      return 'malformed:error';
    default:
      return tool;
  }
}

/** Record of the actions so far. It returns the state before the next turn at each granularity. */
export class Trace {
  private readonly operations = new Map<string, Set<string>>();
  private readonly actions: string[] = [];
  private planSteps = 0;
  private passes = 0;
  private fails = 0;
  private last = '';

  /** Returns an independent copy of the trace. */
  copy(): Trace {
    const copy = new Trace();
    for (const [file, operations] of this.operations) copy.operations.set(file, new Set(operations));
    copy.actions.push(...this.actions);
    copy.planSteps = this.planSteps;
    copy.passes = this.passes;
    copy.fails = this.fails;
    copy.last = this.last;
    return copy;
  }

  /**
   * Adds a turn. Invalid actions and `execute` do not change the sets of operations, as in the paper.
   * @param hits files that a search returned
   */
  add(action: Action, done: Done, observation: readonly string[], hits: readonly string[] = []): void {
    const { tool, args } = action;
    this.actions.push(actionSignature(action, done));
    this.last = [tool, ...args, '>', ...observation].join(' ');
    if (!done.valid) return;
    if (tool === 'view') this.operate(args[0], args[1] === 'full' ? 'Vf' : `V[${args[1].slice(1)}]`);
    if (tool === 'search') for (const file of hits) this.operate(file, 'S');
    if (tool === 'modify') this.operate(args[0], `M:${editHash(args[1], args[2])}`);
    if (tool === 'create') this.operate(args[0], 'C');
    if (tool === 'think') this.planSteps++;
    if (tool === 'test') {
      if (done.ok) this.passes++;
      else this.fails++;
    }
  }

  /**
   * Returns the present state.
   * @param repository present files, for `contents`
   */
  state(granularity: Granularity, repository: Repository): string {
    const counts = `pass=${this.passes},fail=${this.fails}`;
    switch (granularity) {
      case 'history':
        return this.actions.map((action) => `>${action}`).join('');
      case 'paper':
        return `${this.files(() => true)}#think=${this.planSteps},${counts}`;
      case 'coarse':
        return `${this.files((operation) => operation.startsWith('M:'))}#${counts}`;
      case 'contents':
        return `${repositoryKey(repository)}#${this.last}`;
    }
  }

  /** Returns the present state at each granularity. */
  states(repository: Repository): Readonly<Record<Granularity, string>> {
    const all = GRANULARITIES.map((granularity) => [granularity, this.state(granularity, repository)]);
    return Object.fromEntries(all) as Record<Granularity, string>;
  }

  /** Formats files and operations, both sorted: `core.py:M:9f3a,Vf|lib.py:S`. */
  private files(predicate: (operation: string) => boolean): string {
    return [...this.operations]
      .map(([file, operations]) => [file, [...operations].filter(predicate).sort().join(',')])
      .filter(([, operations]) => operations !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, operations]) => `${file}:${operations}`)
      .join('|');
  }

  private operate(file: string, operation: string): void {
    const operations = this.operations.get(file) ?? new Set();
    this.operations.set(file, operations.add(operation));
  }
}

/** Settings of an episode. */
export interface EpisodeSettings {
  readonly controls: RepoControls;
  /** Maximum number of steps. The last step ends the episode, even without `finish`. */
  readonly steps: number;
}

/**
 * Episode in which the policy repairs one repository. Each turn is one action of one to four tokens. The reply contains
 * the output of the tool: `<o> ... <a>`. The episode ends with `finish`, or unsolved after the last step.
 *
 * Every turn has the reward of a valid or an invalid action, including the last turn. The outcome is the result of
 * `finish`. A turn validates if it is the first `test` or `execute app.py` after a successful edit. The control
 * `potential` is Φ of a state in which every edit was checked, and a turn also has the reward γ Φ(after) − Φ(before).
 *
 * Facts of a step result; the value of a rollout is the maximum over its turns:
 * - `invalid` 1: the action was invalid
 * - `edited` 1: a file was changed in this turn or before
 * - `tested` 1: tests ran after the last successful edit, and then the episode ended with `finish` (last turn)
 * - `finished` 1: the episode ended with `finish` (last turn)
 * - `steps`: number of turns so far
 * - `changed` 1: the turn changed a file; `fixed` 1: fewer tokens differ from the right files afterwards, `spoiled` 1:
 *   more
 * - `shown` 1: the turn viewed a token that differs from the right files
 */
export class RepoEpisode implements Episode<'later'> {
  private trace = new Trace();
  private steps = 0;
  private over = false;
  private edited = false;
  /** True after an edit until a `test` or `execute app.py` checks it. */
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
   * Returns the step result of a turn.
   * @throws {Error} if the episode is over
   * @throws {RangeError} for tokens that are not a single action
   */
  async act(tokens: readonly number[]): Promise<StepResult> {
    return (await this.perform(parseAction(tokens))).stepResult;
  }

  /** Performs an action that is given by names. Also returns the result of the tool. */
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

  /** Number of tokens that differ from the right files. It is the minimum number of edits of a repair. */
  private get wrongTokens(): number {
    return differences(this.problem.right, this.workspace.repository).length;
  }

  /** Present files of the episode. */
  get repository() {
    return this.workspace.repository;
  }

  /** True if no further turn is possible. */
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

  /** Φ of the present state, in which every edit was checked; otherwise 0. It is 0 at the end of the episode. */
  private get potential(): number {
    return this.edited && !this.unchecked && !this.over ? this.settings.controls.potential : 0;
  }

  /**
   * Returns the reward, the facts and the description of a turn.
   * @param before Φ of the state before the action
   */
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
 * Returns the facts on the effect of a step on the repair. Only effects that occurred are included.
 * @param worse increase in the number of tokens that differ from the right files
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

/** Returns true for actions that show if an edit was right. */
function checks({ tool, args }: Action): boolean {
  return tool === 'test' || (tool === 'execute' && args[0] === 'app.py');
}
