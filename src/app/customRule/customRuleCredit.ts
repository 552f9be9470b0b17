import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { ruleTitle } from '../../credit/ruleFacts.ts';
import { resultOf } from '../../credit/rules/custom/customRule.ts';
import { findRule, RULES } from '../../credit/rules.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { pageEvent } from '../look/pageEvent.ts';
import '../controls/parameterControl.ts';
import { plain, shadeClass, shadeStyle, signed } from '../drawing/numbers.ts';
import { creditOf } from '../inspector/choice.ts';
import '../inspector/derivation.ts';
import { viewStyles } from '../drawing/figures.ts';
import { base } from '../look/styles.ts';
import { customRuleStrings as texts } from '../strings/customRuleStrings.ts';
import type { Evaluated } from './customRuleController.ts';

/** Event that requests to show a line of the rule, from 1. */
class LineChoiceEvent extends pageEvent<number>('line-choice') {}

/** Text of a turn, with its measured true advantage and the standard error. */
export interface MeasuredAdvantage {
  readonly turnText: string;
  readonly advantage: number;
  readonly error: number;
}

/** Maximum number of rows, because the table is rendered at each keystroke. */
const MAX_ROWS = 60;

/**
 * Credit of the user's rule for each turn of a group, next to another rule, and the error of the user's rule.
 * @fires line-choice when the user presses the line number of an error (LineChoiceEvent)
 */
@customElement('tw-own-rule-credit')
export class CustomRuleCredit extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      :host { display: block; min-width: 0; }
      .top { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; font-size: 0.875rem; min-height: 2rem; }
      .scroll { max-height: 26rem; overflow: auto; margin-top: 0.375rem; border: 1px solid var(--line); border-radius: 6px; }
      table.data { width: auto; min-width: 100%; }
      thead th { position: sticky; top: 0; background: var(--surface); white-space: nowrap; }
      .n { text-align: end; }
      td .shade { display: inline-block; min-width: 2.9rem; padding: 0 0.2rem; text-align: end; }
      .alert { padding: 0.5rem 0.75rem; border: 1px solid var(--bad); border-radius: 6px; background: var(--bad-ground);
        color: var(--bad); font-size: 0.875rem; overflow-wrap: anywhere; }
      .alert span { color: var(--ink); }
      .description { display: block; min-width: 6.5rem; max-width: 16rem; font-weight: 400; overflow-wrap: anywhere; }
      .stale { opacity: 0.6; }
      th button[aria-pressed='true'] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
      tw-worked { display: block; margin-top: 0.625rem; }
      details { margin-top: 0.75rem; font-size: 0.875rem; }
      .list { display: grid; gap: 0.5rem; margin-top: 0.5rem; }
      /* Phones: the description of a turn above its numbers, so that no column is cut. */
      @media (max-width: 40rem) {
        .data tr { display: grid; grid-template-columns: repeat(auto-fit, minmax(2.75rem, 1fr)); }
        .data thead tr { position: sticky; top: 0; background: var(--surface); }
        .data thead th { font-size: 0.625rem; white-space: normal; overflow-wrap: anywhere; }
        .data th, .data td { padding-inline: 0.125rem; }
        .data thead th:first-child, .data tbody th { grid-column: 1 / -1; max-width: none; }
        .data tbody td { border-top: 0; }
        td .shade { min-width: 0; }
        td .muted { display: block; }
        .description { display: inline; }
      }
    `,
  ];

  @property({ attribute: false }) evaluated: Evaluated | undefined;
  @property({ type: Boolean }) working = false;
  @property({ type: Boolean }) loading = false;
  @property({ attribute: false }) values: ParameterValues = {};
  @property() environment: EnvironmentName = 'search';
  /** Measured advantages of the group [turns]; undefined if nothing was measured. */
  @property({ attribute: false }) measured: readonly MeasuredAdvantage[] | undefined;
  @state() private rivalRule = RULES[0].name;
  /** Turn whose explanation is shown. */
  @state() private turn = 0;
  /** Last result without an error. It stays visible in a paler colour while the rule has an error. */
  private displayed: { readonly name: string; readonly group: Group } | undefined;

  protected override willUpdate(): void {
    const { evaluated } = this;
    const { name, group, problem } = evaluated ?? {};
    if (name !== undefined && problem === undefined && group && resultOf(name, group)) this.displayed = { name, group };
  }

  protected override render() {
    const { evaluated } = this;
    return html`
      <div class="top">
        <label>${texts.against} <select @change=${this.choose}>
          ${RULES.map(({ name, title }) => html`<option value=${name} .selected=${name === this.rivalRule}>${title}</option>`)}
        </select></label>
        <span class="caption" role="status">${this.status()}</span>
      </div>
      ${evaluated?.problem === undefined ? nothing : this.problem(evaluated)}
      ${this.displayed ? this.table(this.displayed.name, this.displayed.group) : nothing}
      ${evaluated && !evaluated.group ? html`<p class="caption">${texts.noGroup}</p>` : nothing}
      ${this.parameters()}
    `;
  }

  private status(): string {
    if (this.loading) return texts.loadingPython;
    if (this.working) return texts.working;
    return this.evaluated && !this.evaluated.problem ? texts.duration(this.evaluated.milliseconds) : '';
  }

  private problem({ problem, line }: Evaluated) {
    const go = () => line !== undefined && this.dispatchEvent(new LineChoiceEvent(line));
    return html`<div class="alert" role="alert">${texts.wrong}: <span>${problem}</span>
      ${line === undefined ? nothing : html`<button class="small" @click=${go}>→ ${line}</button>`}</div>`;
  }

  private table(ruleName: string, group: Group) {
    const customAdvantage = findRule(ruleName).credit(group, {}).advantage;
    const { credit, problem } = creditOf(group, { rule: this.rivalRule, values: {} });
    const stale = this.evaluated?.name !== ruleName;
    const explains = this.evaluated?.description?.explains ?? false;
    return html`${problem === undefined ? nothing : html`<p class="caption">${ruleTitle(this.rivalRule)}: ${problem}</p>`}
      <div class="scroll ${stale ? 'stale' : ''}" tabindex="0" role="group" aria-label=${texts.table}><table class="data">
        <thead><tr><th scope="col">${texts.turn}</th><th scope="col" class="n">${texts.reward}</th>
          <th scope="col" class="n">${texts.outcome}</th>${this.measured ? html`<th scope="col" class="n">${isExact(this.measured) ? texts.exact : texts.measured}</th>` : nothing}<th scope="col" class="n">${texts.customRule}</th>
          <th scope="col" class="n">${ruleTitle(this.rivalRule)}</th><th scope="col" class="n">${texts.difference}</th></tr></thead>
        <tbody>${group.turns.slice(0, MAX_ROWS).map(({ reward, outcome }, turn) => {
          const rivalAdvantage = credit?.advantage[turn] ?? Number.NaN;
          const number = explains
            ? html`<button class="small" aria-pressed=${turn === this.turn} aria-label=${texts.how(turn)} @click=${() => (this.turn = turn)}>${turn}</button>`
            : turn;
          return html`<tr><th scope="row">${number} ${this.describeTurn(turn, group)}</th><td class="n">${plain(reward)}</td>
            <td class="n">${outcome === undefined ? '' : plain(outcome)}</td>
            ${this.trueAdvantage(turn)}${cell(customAdvantage[turn])}${cell(rivalAdvantage)}<td class="n">${Number.isNaN(customAdvantage[turn] - rivalAdvantage) ? '' : signed(customAdvantage[turn] - rivalAdvantage)}</td></tr>`;
        })}</tbody></table></div>
      ${explains ? html`<tw-worked .group=${group} .choice=${{ rule: ruleName, values: {} }} .turn=${Math.min(this.turn, group.turns.length - 1)}></tw-worked>` : html`<p class="caption">${texts.explainHint}</p>`}`;
  }

  private describeTurn(turn: number, { turns }: Group) {
    const turnText = this.measured?.[turn]?.turnText;
    if (turnText === undefined) return nothing;
    const follows = turns[turn].parent < 0 ? texts.first : texts.follows(turns[turn].parent);
    return html`<span class="description">${follows} ${turnText}</span>`;
  }

  private trueAdvantage(turn: number) {
    const { advantage, error } = this.measured?.[turn] ?? {};
    if (advantage === undefined || error === undefined) return nothing;
    return html`<td class="n"><span class="shade ${shadeClass(advantage)}" style=${shadeStyle(advantage)}>${signed(advantage)}</span>
      ${error === 0 ? nothing : html`<span class="muted">± ${error.toFixed(2)}</span>`}</td>`;
  }

  private parameters() {
    const parameters = this.evaluated?.description?.parameters ?? [];
    if (parameters.length === 0) return nothing;
    return html`<details open><summary>${texts.parameters}</summary><div class="list">
      ${parameters.map(
        (parameter) =>
          html`<tw-parameter .parameter=${parameter} .value=${this.values[parameter.name] ?? parameter.default}></tw-parameter>`,
      )}</div></details>`;
  }

  private choose(event: Event): void {
    this.rivalRule = (event.target as HTMLSelectElement).value;
  }
}

/** Returns true if no value has a measurement error. */
function isExact(values: readonly MeasuredAdvantage[]): boolean {
  return values.every(({ error }) => error === 0);
}

function cell(A: number) {
  if (Number.isNaN(A)) return html`<td class="n">${texts.pruned}</td>`;
  return html`<td class="n"><span class="shade ${shadeClass(A)}" style=${shadeStyle(A)}>${signed(A)}</span></td>`;
}
