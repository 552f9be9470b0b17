import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { isOfTurns } from '../../credit/rule.ts';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { hasEqualOutcomes } from '../../rollouts/flatGroups.ts';
import { childrenOf, type Group } from '../../rollouts/forest.ts';
import { groupName, groupUpdate } from '../../rollouts/rolloutBatch.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import type { TruthRequest } from '../../training/data/truthReport.ts';
import { ruleTitle, tablesFor } from '../address/pageTables.ts';
import { creditOf } from '../inspector/choice.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { truthStrings } from '../strings/truthStrings.ts';

/** Event of the user requesting a measurement. */
export class MeasureEvent extends pageEvent<TruthRequest>('measure') {}

const CONTINUATIONS = [8, 16, 32, 64, 128, 256];
const GRADIENT_GROUPS = [0, 16, 32, 64, 256];

/**
 * Form for a measurement: group, turns, rules and precision.
 * @fires measure when the user submits the form (MeasureEvent)
 */
@customElement('tw-truth-form')
export class TruthForm extends LitElement {
  static override styles = [
    base,
    css`
      :host { margin-top: 0.75rem; }
      form { display: flex; flex-wrap: wrap; gap: 0.625rem 1.25rem; align-items: end; }
      fieldset { display: flex; flex-wrap: wrap; gap: 0.25rem 0.875rem; margin: 0; padding: 0; border: 0; min-width: 0;
        flex-basis: 100%; font-size: 0.875rem; }
      legend, .field > span { padding: 0; font-size: 0.8125rem; color: var(--ink-2); }
      legend { float: inline-start; margin-inline-end: 0.25rem; line-height: 1.75; }
      fieldset label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.625rem; }
      .field { display: grid; gap: 0.125rem; font-size: 0.875rem; max-width: 100%; }
      select { max-width: 100%; }
      .discount { width: 5rem; }
      .refused { flex-basis: 100%; margin-top: -0.25rem; }
      .unreadable { color: var(--ink-3); }
      code { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere; }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  /** Present controls of the run. */
  @property({ attribute: false }) controls: ParameterValues = {};
  /** Group of the run that the form offers. */
  @property({ attribute: false }) group: GroupView | undefined;
  @property({ type: Boolean }) disabled = false;
  /** True for a new sample, false for the shown group; undefined until the user chooses. */
  @state() private fresh: boolean | undefined;
  /** Rules that the user chose; undefined before the first choice. */
  @state() private chosen: readonly string[] | undefined;
  /** Index of the rollout whose turns are measured; undefined to measure all rollouts. */
  @state() private rollout: number | undefined;
  @state() private continuations = ENVIRONMENTS[DEFAULT_ENVIRONMENT].continuations;
  @state() private kind: 'outcome' | 'rewards' = 'outcome';
  @state() private gamma = 1;
  @state() private gradientGroups = 0;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('environment')) this.continuations = ENVIRONMENTS[this.environment].continuations;
  }

  protected override render() {
    const texts = truthStrings.form;
    const rules = this.rules;
    return html`<form aria-label=${texts.label} @submit=${this.submit}>
      ${this.groupChoice()}
      ${this.ruleChoice(rules)}
      ${this.turnChoice()}
      ${this.select(texts.continuations, 'continuations', CONTINUATIONS, String)}
      <label class="field"><span>${texts.return}</span>
        <select name="return" ?disabled=${this.disabled} @change=${this.chooseReturn}>
          ${(['outcome', 'rewards'] as const).map(
            (kind) => html`<option value=${kind} .selected=${kind === this.kind}>${texts.returns[kind]}</option>`,
          )}
        </select></label>
      <label class="field"><span>${texts.discount}</span>
        <input class="discount" name="discount" type="number" min="0" max="1" step="0.01" .value=${String(this.gamma)}
          ?disabled=${this.disabled} @change=${this.chooseDiscount} /></label>
      ${this.select(texts.gradients, 'gradientGroups', GRADIENT_GROUPS, (groups) => (groups === 0 ? texts.noGradients : texts.groups(groups)))}
      <button class="primary" ?disabled=${this.disabled || rules.length === 0}>${texts.measure}</button>
      <span class="caption">${rules.length === 0 ? texts.noRule : texts.pauses}</span>
      ${this.tied ? html`<span class="caption refused">${this.of ? texts.tied : texts.tiedOffered}</span>` : nothing}
    </form>`;
  }

  /** Group to measure; undefined for a new sample. */
  private get of(): GroupView | undefined {
    return (this.fresh ?? this.tied) ? undefined : this.group;
  }

  /** True if the offered group is tied, so that rules that compare outcomes assign no credit. */
  private get tied(): boolean {
    return this.group !== undefined && hasEqualOutcomes(this.group.forest);
  }

  /** Active rule. */
  private get active(): string {
    return String(this.controls.rule ?? '');
  }

  /** Chosen rules that can be measured. The first rule is the reference of the comparison. */
  private get rules(): readonly string[] {
    const forest = this.of?.forest;
    if (!this.chosen) return fittingRules(this.environment, this.active, forest);
    const measurable = measurableRules(this.environment, this.active);
    return this.chosen.filter((rule) => measurable.includes(rule) && findCreditProblem(forest, rule) === undefined);
  }

  private groupChoice() {
    const texts = truthStrings.form;
    const { group } = this;
    const radio = (fresh: boolean, label: unknown) => html`<label>
      <input type="radio" name="group" .checked=${(this.of === undefined) === fresh} ?disabled=${this.disabled}
        @change=${() => this.chooseGroup(fresh)} /><span>${label}</span></label>`;
    return html`<fieldset><legend>${texts.group}</legend>
      ${
        group
          ? radio(
              false,
              html`${
                group.sampleOnly
                  ? texts.selectedSample(groupUpdate(group))
                  : texts.selectedNote(groupName(group), group.groups)
              }, <code>${group.question}</code>`,
            )
          : nothing
      }
      ${radio(true, texts.fresh)}
    </fieldset>`;
  }

  private ruleChoice(chosen: readonly string[]) {
    const texts = truthStrings.form;
    const rules = measurableRules(this.environment, this.active).map((rule) => ({
      rule,
      problem: findCreditProblem(this.of?.forest, rule),
    }));
    return html`<fieldset><legend>${texts.rules}</legend>
      ${rules.map(
        ({
          rule,
          problem,
        }) => html`<label class=${problem === undefined ? '' : 'unreadable'} title=${problem ?? nothing}>
          <input type="checkbox" name="rule" value=${rule} .checked=${chosen.includes(rule)}
            ?disabled=${this.disabled || problem !== undefined} @change=${this.chooseRule} />${ruleTitle(rule)}</label>`,
      )}
      ${rules.map(({ rule, problem }) =>
        problem === undefined
          ? nothing
          : html`<span class="caption refused">${texts.cannot(ruleTitle(rule), problem)}</span>`,
      )}
    </fieldset>`;
  }

  private turnChoice() {
    const texts = truthStrings.form;
    const forest = this.of?.forest;
    const rollouts = forest ? rolloutsOf(forest) : [];
    const choose = (event: Event) => {
      const { value } = event.target as HTMLSelectElement;
      this.rollout = value === '' ? undefined : Number(value);
    };
    return html`<label class="field"><span>${texts.turns}</span>
      <select name="turns" ?disabled=${this.disabled || !forest} @change=${choose}>
        <option value="" .selected=${this.rollout === undefined}>${texts.allTurns(forest?.turns.length)}</option>
        ${rollouts.map(
          (turns, rollout) => html`<option value=${rollout} .selected=${rollout === this.rollout}>
            ${texts.rollout(rollout + 1, turns.length)}</option>`,
        )}
      </select></label>`;
  }

  private select(
    label: string,
    name: 'continuations' | 'gradientGroups',
    options: readonly number[],
    describe: (option: number) => string,
  ) {
    const choose = (event: Event) => {
      this[name] = Number((event.target as HTMLSelectElement).value);
    };
    return html`<label class="field"><span>${label}</span>
      <select name=${name} ?disabled=${this.disabled} @change=${choose}>
        ${options.map((option) => html`<option value=${option} .selected=${option === this[name]}>${describe(option)}</option>`)}
      </select></label>`;
  }

  private chooseGroup(fresh: boolean): void {
    this.fresh = fresh;
  }

  private chooseRule(event: Event): void {
    const { value, checked } = event.target as HTMLInputElement;
    // An added rule comes last, so that the reference of the comparison does not change.
    const rest = this.rules.filter((rule) => rule !== value);
    this.chosen = checked ? [...rest, value] : rest;
  }

  private chooseReturn(event: Event): void {
    this.kind = (event.target as HTMLSelectElement).value === 'rewards' ? 'rewards' : 'outcome';
  }

  private chooseDiscount(event: Event): void {
    const field = event.target as HTMLInputElement;
    const value = Number(field.value);
    this.gamma = field.value.trim() !== '' && value >= 0 && value <= 1 ? value : this.gamma;
    field.value = String(this.gamma);
  }

  private submit(event: Event): void {
    event.preventDefault();
    const { of, rollout, rules, continuations, gradientGroups, kind, gamma } = this;
    if (rules.length === 0) return;
    const turns = of && rollout !== undefined ? rolloutsOf(of.forest)[rollout] : undefined;
    const counts = { kind, gamma, bonus: Number(this.controls.bonus ?? 0) };
    this.dispatchEvent(
      new MeasureEvent({
        ...{ rules, continuations, gradientGroups, counts },
        ...(of ? { of: { step: of.step, group: of.group, sampleOnly: of.sampleOnly } } : {}),
        ...(turns ? { turns } : {}),
      }),
    );
  }
}

/** Plain rules that serve as baselines of a comparison, if an environment has them. */
const BASELINES = ['grpo-or', 'grpo-mt'];

/**
 * Returns the rules of an environment that can be measured: rules that assign credit to turns. Rules that need a critic
 * are included only if the active rule has a critic.
 * @param active active rule, which may be a custom rule
 */
export function measurableRules(environment: EnvironmentName, active = ''): readonly string[] {
  const { rule } = tablesFor(environment);
  const learned = rule.options.includes(active) && findRule(active).unit === 'token';
  const offered = rule.options
    .map(findRule)
    .filter((candidate) => candidate.unit === 'turn' || (learned && isOfTurns(candidate)));
  const names = offered.map(({ name }) => name);
  return isCustomRuleName(active) ? [...names, active] : names;
}

/** Returns the reason why a rule cannot compute credit for a group. Returns undefined if it can or without a group. */
export function findCreditProblem(group: Group | undefined, rule: string): string | undefined {
  return group && creditOf(group, NO_CHOICE, rule).problem;
}

const NO_CHOICE = { rule: '', values: {} };

/**
 * Returns up to three rules that can compute credit for the group, in order of preference: a baseline, the active rule,
 * the pinned rules of the environment, and other rules.
 */
export function fittingRules(environment: EnvironmentName, active: string, group?: Group): readonly string[] {
  const measurable = measurableRules(environment, active);
  const { pinned } = ENVIRONMENTS[environment];
  const baseline = pinned.find((name) => BASELINES.includes(name)) ?? '';
  const requested = [baseline, active, ...pinned, ...measurable];
  const readable = requested.filter(
    (name) => measurable.includes(name) && findCreditProblem(group, name) === undefined,
  );
  return [...new Set(readable)].slice(0, 3);
}

/** Returns the path from the first to the last turn of each rollout [rollouts][turns], in order of the last turns. */
export function rolloutsOf(group: Group): number[][] {
  return childrenOf(group).flatMap((children, turn) => {
    if (children.length > 0) return [];
    const path: number[] = [];
    for (let at = turn; at >= 0; at = group.turns[at]?.parent ?? -1) path.unshift(at);
    return [path];
  });
}
