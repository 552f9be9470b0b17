import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  type CustomRuleSource,
  encodeCustomRule,
  resultOf,
  saveResult,
  storeDerivation,
} from '../../credit/rules/custom/customRule.ts';
import { CustomRules } from '../../customRules/customRules.ts';
import { type CustomRuleDescription, CustomRuleError } from '../../customRules/results.ts';
import { ForestError, type Group } from '../../rollouts/forest.ts';

/** Maximum number of interpreter steps while the user types. An endless loop stops within about 2 s. */
const FUEL = 2_000_000;

/** Evaluation of the rule in the editor. */
export interface Evaluated {
  readonly name: string;
  readonly description?: CustomRuleDescription | undefined;
  /** Error message; undefined if the rule has no error. */
  readonly problem?: string | undefined;
  readonly line?: number | undefined;
  /** Group for which credit was computed; undefined if the run had no group. */
  readonly group: Group | undefined;
  /** Time from the request to the result [ms]. */
  readonly milliseconds: number;
  /** True if the explanation of `worked()` has arrived. */
  readonly explained?: boolean | undefined;
}

/** Computes the rule's credit on further groups, if the rule could be read. @throws the error of the rule */
export type Further = (name: string, work: (name: string, groups: readonly Group[]) => Promise<void>) => Promise<void>;

/** Result of the rule on the shown group. */
interface EvaluationResult extends Pick<Evaluated, 'name' | 'description' | 'problem' | 'line'> {
  /** True if the rule is valid but does not support this group. */
  readonly readable?: boolean;
}

interface EvaluationRequest {
  readonly customRule: CustomRuleSource;
  readonly group: Group | undefined;
  readonly further: Further | undefined;
  readonly since: number;
}

/** Evaluates the rule in the editor, in a sandbox that exists as long as the panel. */
export class CustomRuleController implements ReactiveController {
  evaluated: Evaluated | undefined;
  /** True while the rule in the editor is evaluated. */
  working = false;
  ready = false;
  /** True while the loop of `evaluate` runs. It evaluates one request at a time. */
  private busy = false;
  private sandbox: Promise<Sandbox> | undefined;
  private rules: CustomRules | undefined;
  private request: EvaluationRequest | undefined;
  /** Number of disconnections of the panel. Results of evaluations before the last one are ignored. */
  private run = 0;

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }

  hostConnected(): void {}

  hostDisconnected(): void {
    this.run++;
    this.busy = false;
    this.working = false;
    this.request = undefined;
    this.sandbox?.then(
      (sandbox) => sandbox.close(),
      () => {},
    );
    this.sandbox = undefined;
    this.rules = undefined;
    this.ready = false;
  }

  /**
   * Reads the rule and computes its credit on the group, if there is one. During an evaluation, only the last request
   * waits, and earlier requests are skipped.
   */
  async evaluate(customRule: CustomRuleSource, group: Group | undefined, further?: Further): Promise<void> {
    this.request = { customRule, group, further, since: performance.now() };
    if (this.busy) return;
    this.busy = true;
    for (let next = this.receive(); next; next = this.receive()) {
      const { run } = this;
      this.working = true;
      this.host.requestUpdate();
      const result = await this.evaluateNow(next.customRule, next.group);
      if (run !== this.run) return;
      this.evaluated = { ...result, group: next.group, milliseconds: performance.now() - next.since };
      this.working = this.request !== undefined;
      this.host.requestUpdate();
      if (!this.request) await this.explain(result, next.group);
      if (next.further && !this.request) await this.goFurther(result, next.further);
      if (run !== this.run) return;
    }
    this.busy = false;
    this.working = false;
    this.host.requestUpdate();
  }

  /** Computes the rule's explanation of its advantages, after the advantages. */
  private async explain({ name, problem, description }: EvaluationResult, group: Group | undefined): Promise<void> {
    if (problem !== undefined || !description?.explains || !group) return;
    try {
      await (await this.open()).explain(name, group);
    } catch (error) {
      storeDerivation(
        name,
        group,
        group.turns.map(() => [describeError(error).problem]),
      );
    }
    if (this.evaluated) this.evaluated = { ...this.evaluated, explained: true };
    this.host.requestUpdate();
  }

  private async goFurther({ name, problem, readable }: EvaluationResult, further: Further): Promise<void> {
    if (problem !== undefined && !readable) return;
    try {
      const rules = await this.open();
      await further(name, (rule, groups) => rules.work(rule, groups, 'turn'));
    } catch (error) {
      const { evaluated } = this;
      if (evaluated?.name === name) this.evaluated = { ...evaluated, ...describeError(error) };
    }
    this.host.requestUpdate();
  }

  private receive() {
    const { request } = this;
    this.request = undefined;
    return request;
  }

  private async evaluateNow(customRule: CustomRuleSource, group: Group | undefined): Promise<EvaluationResult> {
    const name = encodeCustomRule(customRule);
    try {
      const rules = await this.open();
      // `work` also returns the description of the rule, so that `describe` needs no second call.
      if (group) await rules.work(name, [group], 'turn');
      const description = await rules.describe(customRule);
      const result = group && resultOf(name, group);
      // Saves the result again, so that it is the newest result.
      if (group && result) saveResult(name, group, result);
      return { name, description };
    } catch (error) {
      return { name, readable: error instanceof ForestError, ...describeError(error) };
    }
  }

  private async open(): Promise<CustomRules> {
    this.sandbox ??= import('@turnwise/python-sandbox/host/page').then(
      ({ createPageSource }) => new Sandbox(createPageSource(1), { workers: 1, spare: false }),
    );
    const sandbox = await this.sandbox;
    await sandbox.ready();
    this.ready = true;
    this.rules ??= new CustomRules({ sandbox: () => sandbox, library: libraryText }, FUEL);
    return this.rules;
  }
}

/** Returns the message of an error, and its line if it is known. */
function describeError(error: unknown): { readonly problem: string; readonly line?: number | undefined } {
  if (error instanceof CustomRuleError) return { problem: error.message, line: error.location.line };
  if (error instanceof ForestError)
    return { problem: new ForestError({ turn: error.turn, field: error.field }, error.problem).message };
  return { problem: error instanceof Error ? error.message : String(error) };
}

/**
 * Files of the Python package `turnwise_rl`, loaded on request: the built-in rules, and the library that they import.
 */
const files = import.meta.glob<string>('../../../python/turnwise_rl/rules/*.py', { query: '?raw', import: 'default' });
const library = import.meta.glob<string>('../../../python/turnwise_rl/core.py', { query: '?raw', import: 'default' });

/** Loads the Python file of a rule such as `mt-grpo`. @throws {Error} if the file does not exist or cannot be loaded */
export function ruleText(name: string): Promise<string> {
  const load = files[`../../../python/turnwise_rl/rules/${name.replaceAll('-', '_')}.py`];
  return load ? load() : Promise.reject(new Error(`the rule "${name}" has no Python file`));
}

function libraryText(): Promise<string> {
  const [load] = Object.values(library);
  return load ? load() : Promise.reject(new Error('the Python library of credit rules is missing'));
}
