import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { hasEqualOutcomes } from '../../rollouts/flatGroups.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { isTokenRule, ruleTitle, tablesFor } from '../address/pageTables.ts';
import {
  type ChoiceEvent,
  type CreditChoice,
  creditOf,
  runChoice,
  selectSupportedRule,
  type ViewKind,
} from '../inspector/choice.ts';
import { type Inspected, recordedGranularity } from '../inspector/inspected.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import '../inspector/creditChoice.ts';
import '../inspector/programTree.ts';
import '../inspector/rolloutTree.ts';
import '../inspector/testWeights.ts';

/** Rules whose credit the tree of states shows at each step. */
const IN_STRIPS: readonly string[] = ['grpo-or', 'grpo-step', 'rtmc'];

/**
 * Group of the run as the trees of its turns. The credit is the run's credit until the user chooses another rule or
 * changes a parameter. These choices do not affect the run.
 * @fires turn-choice when the user opens or closes a turn (TurnEvent)
 */
@customElement('tw-judged-group')
export class ScoredGroup extends LitElement {
  static override styles = [
    base,
    css`
      .shown { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin-top: 0.375rem;
        font-size: 0.8125rem; min-height: 2rem; }
      .other { padding-inline-start: 0.5rem; border-inline-start: 3px solid var(--note-line); }
      .part { margin-top: 1.25rem; padding-top: 1rem; border-top: 1px solid var(--line); min-width: 0; }
    `,
  ];

  @property({ attribute: false }) group!: GroupView;
  @property({ attribute: false }) inspected!: Inspected;
  /** Kind of tree: programs or states. */
  @property() view: ViewKind = 'programs';
  /** Controls of the run. Parameters follow them unless the user changes a parameter. */
  @property({ attribute: false }) controls: ParameterValues = {};
  @property() environment: EnvironmentName = 'repair';
  /** Open turn; undefined if no turn is open. */
  @property({ type: Number }) turn: number | undefined;
  @state() private creditView: CreditView = FOLLOWING;
  private run: CreditChoice = { rule: '', values: {} };
  private choice: CreditChoice = this.run;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('environment')) this.creditView = FOLLOWING;
    const { rule } = this.group;
    if (changed.has('controls') || rule !== this.run.rule) this.run = runChoice(rule, this.controls);
    // The choice stays the same object while its parts are unchanged, so that the views do not update.
    if (['inspected', 'controls', 'creditView', 'environment'].some((name) => changed.has(name))) {
      const choice = scoredBy(this.run, this.creditView);
      const readable = this.view === 'programs' ? selectSupportedRule(this.inspected.group, choice) : choice.rule;
      this.choice = { ...choice, rule: readable };
    }
  }

  protected override render() {
    return html`<div @credit-choice=${this.choose}>
      ${this.view === 'programs' ? this.programs() : this.states()}
    </div>`;
  }

  private programs() {
    const { inspected, choice, turn } = this;
    const { group } = inspected;
    const weighed = choice.rule === 'verpo' && creditOf(group, choice).credit !== undefined;
    return html`<tw-credit-choice .group=${group} .choice=${choice} .only=${tablesFor(this.environment).rule.options}
          .trained=${this.run.rule} .legend=${inspectorStrings.scored.judge} .folded=${true}>${this.renderNote(this.sentence(choice.rule), choice.rule)}</tw-credit-choice>
      <tw-program-tree .inspected=${inspected} .choice=${choice} .turn=${turn} .controls=${false}></tw-program-tree>
      ${
        weighed
          ? html`<div class="part"><tw-test-weights .group=${group} .choice=${choice}></tw-test-weights></div>`
          : nothing
      }`;
  }

  private states() {
    const { inspected, choice, run, turn } = this;
    const texts = inspectorStrings.scored;
    const trained = ruleTitle(run.rule);
    const sentence =
      run.rule !== 'rtmc'
        ? texts.tree(trained)
        : isTheRuns(run, this.creditView, 'rtmc')
          ? texts.same(trained)
          : texts.treeParameters;
    const used = IN_STRIPS.includes(run.rule) ? undefined : { title: trained, advantages: this.used() };
    return html`${this.renderNote(sentence, 'rtmc')}<tw-rollout-tree .inspected=${inspected} .choice=${choice} .turn=${turn} .used=${used}></tw-rollout-tree>`;
  }

  /** Renders a sentence about the shown rule, and the button that returns to the rule of the run. */
  private renderNote(sentence: string, rule: string) {
    const texts = inspectorStrings.scored;
    const theRuns = isTheRuns(this.run, this.creditView, rule);
    return html`<p class="shown ${theRuns ? '' : 'other'}">
      <span role="status">${sentence}</span>
      ${isLeftOut(this.group, this.controls) ? html`<span class="muted">${texts.leftOut}</span>` : nothing}
      ${
        this.creditView === FOLLOWING
          ? nothing
          : html`<button class="small" title=${texts.followHelp} @click=${this.follow}>${texts.follow}</button>`
      }
    </p>`;
  }

  private sentence(rule: string): string {
    const texts = inspectorStrings.scored;
    const [displayedTitle, trained] = [rule, this.run.rule].map(ruleTitle);
    if (rule !== this.run.rule) return texts.differsFromRun(displayedTitle, trained);
    return isTheRuns(this.run, this.creditView, rule) ? texts.same(trained) : texts.parametersChanged(displayedTitle);
  }

  /** Returns the advantages that the update used [turns]. */
  private used(): readonly number[] {
    const used: number[] = [];
    for (const { turns } of this.group.rollouts) {
      for (const { forestTurn, advantage } of turns) used[forestTurn] = advantage;
    }
    return used;
  }

  private choose(event: ChoiceEvent): void {
    event.stopPropagation();
    this.creditView = nextCreditView(
      this.creditView,
      this.choice,
      event.detail,
      recordedGranularity(this.inspected.group),
    );
  }

  private follow(): void {
    this.creditView = FOLLOWING;
  }
}

/** Choices of the user for the credit of displayed groups. Omitted fields follow the run. */
export interface CreditView {
  readonly rule?: string;
  /** Parameter values of each rule, by the names of the rule and its parameters. */
  readonly values: CreditChoice['values'];
  readonly states?: string;
}

/** Credit view without choices: all fields follow the run. */
export const FOLLOWING: CreditView = { values: {} };

/** Returns the choice for the credit of a group: the run's choice with the user's choices applied. */
export function scoredBy(run: CreditChoice, { rule, values, states }: CreditView): CreditChoice {
  return {
    rule: rule ?? run.rule,
    values: { ...run.values, ...values },
    start: run.values,
    ...(states === undefined ? {} : { states }),
  };
}

/**
 * Returns the user's choices after a change of the displayed choice.
 * @param before displayed choice, computed from `current` and the run
 * @param after new choice
 * @param recorded granularity of the run's states; a user who chooses it follows the run again
 */
export function nextCreditView(
  current: CreditView,
  before: CreditChoice,
  after: CreditChoice,
  recorded?: string,
): CreditView {
  const changed = Object.entries(after.values).filter(([rule, values]) => values !== before.values[rule]);
  const rule = after.rule === before.rule ? current.rule : after.rule;
  const states = after.states === recorded ? undefined : after.states;
  return {
    ...(rule === undefined ? {} : { rule }),
    ...(states === undefined ? {} : { states }),
    values: { ...current.values, ...Object.fromEntries(changed) },
  };
}

/** Returns true if the credit of a rule equals the credit in the run: same rule, parameters and states. */
export function isTheRuns(run: CreditChoice, current: CreditView, rule: string): boolean {
  const changed = Object.entries(current.values[rule] ?? {}).some(
    ([name, value]) => value !== run.values[rule]?.[name],
  );
  return rule === run.rule && !changed && current.states === undefined;
}

/** Returns true if the update left a group out because all its outcomes are equal (control `filterUniform`). */
export function isLeftOut({ forest, rule, sampleOnly }: GroupView, { filterUniform }: ParameterValues): boolean {
  if (sampleOnly || filterUniform !== 'on' || isTokenRule(rule)) return false;
  return hasEqualOutcomes(forest);
}
