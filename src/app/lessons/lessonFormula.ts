import { css, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { FormulaName } from '../../lessons/lesson.ts';
import { base } from '../look/styles.ts';
import { formulaStrings } from '../strings/formulaStrings.ts';
import { type Formula, isLit, type Part, partsOf } from './exercises/formula.ts';
import { isTextCell, lessonTable, tableStyles } from './lessonExercise.ts';

/** Formula with a table of the numbers of a group. A symbol with the pointer or the focus highlights its numbers. */
@customElement('tw-lesson-formula')
export class LessonFormulaView extends LitElement {
  static override styles = [
    base,
    tableStyles,
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
      .table { max-height: 20rem; }
      td, th { padding-block: 0.125rem; }
      th button { min-height: 1.5rem; padding: 0 0.5rem; font: inherit; }
      tr.looked th, tr.looked td { font-weight: 620; color: var(--ink); }
      @media (pointer: coarse) { button.symbol, th button { min-height: 2.25rem; min-width: 2.25rem; } }
      @media (forced-colors: active) { .lit, button.symbol.lit { outline: 2px solid Highlight; outline-offset: -2px; } }
    `,
  ];

  /** Formula with the numbers of the user's run; undefined if no group of the run is suitable. */
  @property({ attribute: false }) formula: Formula | undefined;
  /**
   * Last symbol with the pointer or the focus. It remains highlighted, so that the layout does not change afterwards.
   */
  @state() private symbol: string | undefined;
  /** Index of the row whose numbers are in the formula. */
  @state() private selectedIndex = 0;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('formula')) this.selectedIndex = 0;
  }

  protected override render() {
    const { formula } = this;
    const texts = formulaStrings;
    if (!formula) return html`<p>${texts.none}</p>`;
    const lines = formula.lines.map(partsOf);
    return html`<p class="caption how">${texts.how}</p>
      <div class="lines" role="group" aria-label=${texts.formula}>${lines.map((parts) => html`<div class="line">${this.parts(parts, (key) => this.button(formula, key))}</div>`)}</div>
      <p class="caption">${texts.numbers}</p>
      <div class="lines">${lines.map((parts) => html`<div class="line">${this.parts(parts, (key) => this.number(formula, key))}</div>`)}</div>
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

  private button({ name }: Formula, key: string): TemplateResult {
    return html`<button type="button" class=${key === this.symbol ? 'symbol lit' : 'symbol'} data-symbol=${key}
      @pointerenter=${() => this.point(key)} @focus=${() => this.point(key)} @click=${() => this.point(key)}>${symbolOf(name, key)?.text}</button>`;
  }

  private number({ rows }: Formula, key: string): TemplateResult {
    return html`<span class=${key === this.symbol ? 'number lit' : 'number'} @pointerenter=${() => this.point(key)}>${rows[this.selectedIndex]?.texts[key]}</span>`;
  }

  private table(formula: Formula) {
    const { name: of, row: kind = 'try', columns, rows, caption } = formula;
    const { titles, rows: rowNames, rowHeads, selectRow } = formulaStrings;
    const { symbol, selectedIndex } = this;
    const cell = (text: string, row: number, column: number) => {
      const lit = symbol !== undefined && isLit(formula, symbol, row, column, selectedIndex);
      return html`<td class=${`${lit ? 'lit' : ''} ${isTextCell(text) && kind !== 'token' ? 'words' : ''}`}>${text}</td>`;
    };
    // Two formulas of a lesson can use the same group, so the label includes the title.
    return lessonTable(
      `${titles[of]}: ${caption}`,
      [rowHeads[kind], ...columns.map(({ head }) => head)],
      rows.map(
        ({ name, texts: cells }, row) => html`<tr class=${row === selectedIndex ? 'looked' : ''}>
          <th scope="row"><button type="button" class="small" aria-pressed=${row === selectedIndex} aria-label=${selectRow(rowNames[kind], name)}
            @click=${() => (this.selectedIndex = row)}>${name}</button></th>${columns.map((column, at) => cell(cells[column.of] ?? '', row, at))}</tr>`,
      ),
    );
  }

  private accessibleText({ name, rows }: Formula): string {
    const { symbol } = this;
    const entry = symbol === undefined ? undefined : symbolOf(name, symbol);
    if (!entry || symbol === undefined) return formulaStrings.nothing;
    return formulaStrings.describeSymbol(entry.text, entry.meaning, rows[this.selectedIndex]?.texts[symbol] ?? '–');
  }

  private point(key: string): void {
    this.symbol = key;
  }
}

/** Returns the text and the meaning of a symbol; undefined if another formula was selected meanwhile. */
function symbolOf(name: FormulaName, key: string): { readonly text: string; readonly meaning: string } | undefined {
  const symbols: Readonly<Record<string, { readonly text: string; readonly meaning: string }>> =
    formulaStrings.symbols[name];
  return symbols[key];
}
