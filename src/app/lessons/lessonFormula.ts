import { css, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { FormulaName } from '../../lessons/formula.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { base } from '../look/styles.ts';
import { formulaStrings } from '../strings/formulaStrings.ts';
import { type BoundFormula, isLit, type Part } from './formulas/formula.ts';
import { formulaOf } from './formulas/formulaOf.ts';
import { isTextCell } from './sheets/sheet.ts';

/** Formula with a table of the numbers of a group. A symbol with the pointer or the focus highlights its numbers. */
@customElement('tw-lesson-formula')
export class LessonFormulaView extends LitElement {
  static override styles = [
    base,
    css`
      .how { margin: 0 0 0.5rem; max-width: 44rem; }
      .lines { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0.25rem 2rem; max-width: 56rem; }
      .line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.125rem 0.25rem; min-height: 2.75rem; white-space: pre;
        font-family: 'Cambria Math', 'STIX Two Math', Georgia, 'Noto Serif', serif; font-size: 1.125rem; }
      .fraction { display: inline-grid; justify-items: center; }
      .fraction > span { display: flex; align-items: center; padding: 0 0.25rem; }
      .fraction > :first-child { border-bottom: 1px solid currentcolor; }
      button.symbol { min-height: 1.75rem; padding: 0 0.25rem; border: 1px solid transparent; border-radius: 5px; background: none; font: inherit; }
      button.symbol:hover { background: var(--hover); }
      .number { padding: 0 0.1875rem; border-radius: 4px; font-variant-numeric: tabular-nums; }
      .lit, button.symbol.lit { background: var(--note-ground); box-shadow: inset 0 0 0 1.5px var(--accent); color: var(--ink); }
      .says { min-height: 3.2em; line-height: 1.5; margin: 0.5rem 0; max-width: 44rem; }
      .table { overflow: auto; max-height: 20rem; width: fit-content; max-width: 100%; border: 1px solid var(--line); border-radius: 8px; }
      table { font-size: 0.875rem; font-variant-numeric: tabular-nums; background: var(--surface); }
      td, th { padding: 0.125rem 0.75rem; text-align: start; }
      td.words { overflow-wrap: anywhere; }
      @media (max-width: 30rem) { td, th { padding-inline: 0.375rem; } }
      thead th { position: sticky; top: 0; background: var(--surface); vertical-align: bottom; }
      th button { min-height: 1.5rem; padding: 0 0.5rem; font: inherit; }
      tr.looked th, tr.looked td { font-weight: 620; color: var(--ink); }
      @media (pointer: coarse) { button.symbol, th button { min-height: 2.25rem; min-width: 2.25rem; } }
      @media (forced-colors: active) { .lit, button.symbol.lit { outline: 2px solid Highlight; outline-offset: -2px; } }
    `,
  ];

  @property() of: FormulaName = 'grpo-or';
  @property({ attribute: false }) groups: readonly GroupView[] = [];
  @property({ attribute: false }) controls: ParameterValues = {};
  @property({ type: Boolean }) trained = false;
  private formula: BoundFormula | undefined;
  /**
   * Last symbol with the pointer or the focus. It remains highlighted, so that the layout does not change afterwards.
   */
  @state() private symbol: string | undefined;
  /** Index of the row whose numbers are in the formula. */
  @state() private selectedIndex = 0;

  /** Creates the formula when the run is finished, so that its numbers do not change. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('trained') && !changed.has('of')) return;
    this.formula = this.trained ? formulaOf(this.of, this.groups, this.controls) : undefined;
    this.selectedIndex = 0;
  }

  protected override render() {
    const { formula } = this;
    const texts = formulaStrings;
    if (!formula) return html`<p>${this.trained ? texts.none : texts.wait}</p>`;
    return html`<p class="caption how">${texts.how}</p>
      <div class="lines" role="group" aria-label=${texts.formula}>${formula.lines.map((parts) => html`<div class="line">${this.parts(parts, this.button)}</div>`)}</div>
      <p class="caption">${texts.numbers}</p>
      <div class="lines">${formula.lines.map((parts) => html`<div class="line">${this.parts(parts, this.number)}</div>`)}</div>
      <p class="says" role="status">${this.accessibleText(formula)}</p>
      <p class="caption">${formula.caption}</p>${this.table(formula)}`;
  }

  private parts(parts: readonly Part[], render: (key: string) => TemplateResult): readonly TemplateResult[] {
    return parts.map((part) => {
      if (typeof part === 'string') return html`<span>${part}</span>`;
      if ('symbol' in part) return render(part.symbol);
      return html`<span class="fraction"><span>${this.parts(part.over, render)}</span><span>${this.parts(part.under, render)}</span></span>`;
    });
  }

  private readonly button = (key: string): TemplateResult =>
    html`<button type="button" class=${key === this.symbol ? 'symbol lit' : 'symbol'} data-symbol=${key}
      @pointerenter=${() => this.point(key)} @focus=${() => this.point(key)} @click=${() => this.point(key)}>${this.formula?.symbols[key]?.text}</button>`;

  private readonly number = (key: string): TemplateResult => {
    const value = this.formula?.rows[this.selectedIndex]?.values[key];
    return html`<span class=${key === this.symbol ? 'number lit' : 'number'} @pointerenter=${() => this.point(key)}>${value}</span>`;
  };

  private table(formula: BoundFormula) {
    const { columns, rows, caption } = formula;
    // Two formulas of a lesson can use the same group, so the label includes the title.
    const label = `${formulaStrings.titles[this.of]}: ${caption}`;
    return html`<div class="table" tabindex="0" role="region" aria-label=${label}><table>
      <thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ name, cells }, row) => html`<tr class=${row === this.selectedIndex ? 'looked' : ''}>
          <th scope="row"><button type="button" class="small" aria-pressed=${row === this.selectedIndex} aria-label=${formulaStrings.selectRow(formulaStrings.rows[formula.row ?? 'try'], name)}
            @click=${() => this.selectRow(row)}>${name}</button></th>${cells.map(
              ({ text }, column) =>
                html`<td class=${`${this.isLit(row, column) ? 'lit' : ''} ${isTextCell(text) && formula.row !== 'token' ? 'words' : ''}`}>${text}</td>`,
            )}</tr>`,
      )}</tbody></table></div>`;
  }

  private accessibleText({ symbols, rows }: BoundFormula): string {
    const entry = this.symbol === undefined ? undefined : symbols[this.symbol];
    if (!entry || this.symbol === undefined) return formulaStrings.nothing;
    return formulaStrings.describeSymbol(
      entry.text,
      entry.meaning,
      rows[this.selectedIndex]?.values[this.symbol] ?? '–',
    );
  }

  private isLit(row: number, column: number): boolean {
    return (
      this.formula !== undefined &&
      this.symbol !== undefined &&
      isLit(this.formula, this.symbol, row, column, this.selectedIndex)
    );
  }

  private point(key: string): void {
    this.symbol = key;
  }

  private selectRow(row: number): void {
    this.selectedIndex = row;
  }
}
