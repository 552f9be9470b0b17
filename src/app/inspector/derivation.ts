import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { viewStyles } from '../drawing/figures.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { asRead, type CreditChoice, creditOf, valuesOf } from './choice.ts';
import { atGranularity } from './inspected.ts';

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

/** Unicode superscripts of the letters and signs that have one. */
const RAISED: Readonly<Record<string, string>> = {
  ...{ I: 'ᴵ', O: 'ᴼ', E: 'ᴱ', S: 'ˢ', T: 'ᵀ', K: 'ᴷ', i: 'ⁱ', k: 'ᵏ', l: 'ˡ', n: 'ⁿ', t: 'ᵗ' },
  ...{ '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹' },
  ...{ '+': '⁺', '−': '⁻', '(': '⁽', ')': '⁾' },
};

/**
 * Replaces carets in a formula by Unicode superscripts: `A^O = R^O − 0.3` becomes `Aᴼ = Rᴼ − 0.3`. Rules use carets,
 * which all terminals and files support. A caret remains if its text has no superscript.
 */
export function withSuperscripts(formula: string): string {
  return formula.replace(/\^(?:\{([^}]*)\}|([A-Za-z]|\d+))/g, (match, inBraces?: string, bare?: string) => {
    const raised = [...(inBraces ?? bare ?? '')].map((letter) => RAISED[letter]);
    return raised.every((letter) => letter !== undefined) ? raised.join('') : match;
  });
}
