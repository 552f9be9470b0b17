import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { asRead, type CreditChoice, creditOf, valuesOf } from './choice.ts';
import { atGranularity } from './granularity.ts';
import { withSuperscripts } from './superscripts.ts';
import { viewStyles } from './viewStyles.ts';

/** Derivation of one turn's advantage: the formulas of a rule with the numbers of the turn. */
@customElement('tw-worked')
export class DerivationLines extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      h4 { margin: 0 0 0.25rem; }
      ol { margin: 0; padding: 0; list-style: none; }
      li { padding: 0.125rem 0; font-size: 0.8125rem; line-height: 1.5; overflow-wrap: anywhere;
        font-family: 'Cambria Math', 'STIX Two Math', Georgia, 'Noto Serif', serif; }
    `,
  ];

  @property({ attribute: false }) group!: Group;
  @property({ attribute: false }) choice!: CreditChoice;
  /** Name of the rule; empty for the selected rule. */
  @property() rule = '';
  @property({ type: Number }) turn = 0;

  protected override render() {
    const name = this.rule || this.choice.rule;
    if (name === '') return nothing;
    const texts = inspectorStrings.turn;
    const { rule, credit, problem } = creditOf(this.group, this.choice, name);
    if (!credit) return html`<p class="problem">${rule.title}: ${problem}</p>`;
    const pruned = Number.isNaN(credit.advantage[this.turn]);
    const lines = pruned
      ? []
      : rule.worked(
          this.turn,
          asRead(rule, atGranularity(this.group, this.choice.states)),
          credit,
          valuesOf(this.choice, name),
        );
    return html`
      <h4>${texts.computation(rule.title)}</h4>
      ${
        pruned
          ? html`<p class="caption">${texts.pruned}</p>`
          : html`<ol>${lines.map((line) => html`<li>${withSuperscripts(line)}</li>`)}</ol>`
      }
    `;
  }
}
