import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { resultOf, saveResult, storeDerivation } from '../../credit/rules/custom/customRule.ts';
import { type CustomRuleSource, encodeCustomRule } from '../../credit/rules/custom/customSource.ts';
import { CustomRuleError } from '../../customRules/customRuleError.ts';
import { CustomRules } from '../../customRules/customRules.ts';
import type { CustomRuleDescription } from '../../customRules/describe.ts';
import type { Group } from '../../rollouts/forest.ts';
import { ForestError } from '../../rollouts/forestError.ts';
import { Sandbox } from '../../sandbox/sandbox.ts';
import { libraryText } from './ruleTexts.ts';

/** Steps of what is shown while somebody types: an endless loop ends within a second or two. */
const FUEL = 2_000_000;

/** Evaluation of the rule in the editor. */
export interface Evaluated {
  readonly name: string;
  readonly description?: CustomRuleDescription | undefined;
  /** Undefined where it works. */
  readonly problem?: string | undefined;
  readonly line?: number | undefined;
  /** Group that the rule was computed on. */
  readonly group: Group | undefined;
  /** From the question to the answer. */
  readonly milliseconds: number;
  /** The lines of worked() have come. */
  readonly explained?: boolean | undefined;
}

/** Works the rule out on further groups, where it could be read. @throws what the rule does wrong there */
export type Further = (name: string, work: (name: string, groups: readonly Group[]) => Promise<void>) => Promise<void>;

/** Result of a text on the shown group. */
interface EvaluationResult extends Pick<Evaluated, 'name' | 'description' | 'problem' | 'line'> {
  /** It is a rule, and cannot read this group alone. */
  readonly readable?: boolean;
}

interface EvaluationRequest {
  readonly customRule: CustomRuleSource;
  readonly group: Group | undefined;
  readonly further: Further | undefined;
  readonly since: number;
}

/** Computes the text of the editor, in a separate sandbox of the page that exists as long as the panel. */
export class CustomRuleController implements ReactiveController {
  evaluated: Evaluated | undefined;
  /** The numbers of the text in the editor are on their way. */
  working = false;
  ready = false;
  /** One text after the other. */
  private busy = false;
  private sandbox: Promise<Sandbox> | undefined;
  private rules: CustomRules | undefined;
  private request: EvaluationRequest | undefined;
  /** Counts disconnections of the panel: a computation that was running then reports no result. */
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
   * Reads the rule, and computes it on the group if there is one. While a rule is computed, only the last request
   * waits, and requests before it are skipped.
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

  /** The rule's explanation of its computation comes after its numbers. */
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
      // The rule's description of itself and its credit come in one call.
      if (group) await rules.work(name, [group], 'turn');
      const description = await rules.describe(customRule);
      const result = group && resultOf(name, group);
      // It is the newest again.
      if (group && result) saveResult(name, group, result);
      return { name, description };
    } catch (error) {
      return { name, readable: error instanceof ForestError, ...describeError(error) };
    }
  }

  private async open(): Promise<CustomRules> {
    this.sandbox ??= import('../../sandbox/host/page.ts').then(
      ({ createPageSource }) => new Sandbox(createPageSource(1), { workers: 1, spare: false }),
    );
    const sandbox = await this.sandbox;
    await sandbox.ready();
    this.ready = true;
    this.rules ??= new CustomRules({ sandbox: () => sandbox, library: libraryText }, FUEL);
    return this.rules;
  }
}

/** Returns the message of an error, and its line. */
function describeError(error: unknown): { readonly problem: string; readonly line?: number | undefined } {
  if (error instanceof CustomRuleError) return { problem: error.message, line: error.location.line };
  if (error instanceof ForestError)
    return { problem: new ForestError({ turn: error.turn, field: error.field }, error.problem).message };
  return { problem: error instanceof Error ? error.message : String(error) };
}
