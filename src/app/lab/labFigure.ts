import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { unsafeSVG } from 'lit/directives/unsafe-svg.js';
import type { ExperimentResult, PairedResult } from '../../experiments/claims/claimResult.ts';
import {
  armsText,
  effectText,
  marginText,
  type ReaderState,
  statusText,
} from '../../experiments/claims/conclusionText.ts';
import { STATUSES, type Status } from '../../experiments/claims/judge.ts';
import { axisSvg, PLOT_CAPTION, type PlotRow, plotExtent, plotRow, plotSvg } from '../../experiments/claims/plot.ts';
import { base } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';

/** Styles of conclusions: a sign, a word and a colour. */
export const conclusionStyles = css`
  .conclusions { display: flex; flex-wrap: wrap; gap: 0.25rem 0.375rem; align-items: center; font-size: 0.8125rem; }
  .conclusion { display: inline-flex; gap: 0.3em; align-items: center; padding: 0.0625rem 0.5rem; border: 1px solid currentcolor;
    border-radius: 99px; color: var(--ink-2); white-space: nowrap; }
  .conclusion:is(.holds, .reproduced) { color: var(--series-3); }
  .conclusion:is(.reverse, .contradicted) { color: var(--bad); }
  .conclusion:is(.no-such-gain, .in-part) { color: var(--series-2); }
`;

/** Renders a conclusion as a sign and a text. @param text displayed text; by default the conclusion */
export function conclusionChip(conclusion: Status | ReaderState, text: string = conclusion) {
  const { sign, help } = labStrings.results[conclusion];
  return html`<span class="conclusion ${conclusion.replaceAll(' ', '-')}" title=${help}><span aria-hidden="true">${sign}</span>${text}</span>`;
}

/** Renders the conclusion of a test. */
export function outcomeChip(outcome: ExperimentResult['outcomes'][number]) {
  return conclusionChip(outcome.corrected.status, statusText(outcome));
}

/** Renders the number of tests of an experiment by status, for the statuses that occur. */
export function countedChips(statuses: readonly Status[]) {
  if (statuses.length === 0) return [conclusionChip('not run', labStrings.states['not run'])];
  return STATUSES.flatMap((status) => {
    const count = statuses.filter((each) => each === status).length;
    return count > 0 ? [conclusionChip(status, count > 1 ? `${status} ${count}` : status)] : [];
  });
}

/** Row of a figure: its texts and the data of its plot. */
export interface LabFigureRow {
  readonly label: unknown;
  /** Text alternative of the plot. */
  readonly described: string;
  readonly chip: ReturnType<typeof conclusionChip>;
  readonly note: string;
  readonly row: PlotRow;
}

/** Returns the row of a paired test. */
export function outcomeRow(outcome: PairedResult): LabFigureRow {
  const { statement, primary } = outcome.test;
  const texts = labStrings.figure;
  const arms = armsText(outcome);
  const margin = marginText(outcome.test);
  return {
    label: html`${statement}${arms === '' ? nothing : html`<span class="muted">${arms}</span>`}`,
    described: `${statement}: ${effectText(outcome)}`,
    chip: outcomeChip(outcome),
    note: `${effectText(outcome)}${margin && `; ${texts.margin(margin)}`}${primary ? ` · ${texts.primary}` : ''}`,
    row: plotRow(outcome),
  };
}

/** Figure of paired tests, with the differences per seed. The plots are the same as in the documentation. */
@customElement('tw-lab-figure')
export class LabFigure extends LitElement {
  static override styles = [
    base,
    conclusionStyles,
    css`
      figure { margin: 0; }
      ol { display: grid; gap: 0.625rem; margin: 0.5rem 0 0; padding: 0; list-style: none; }
      li { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.125rem 1rem; align-items: center; }
      @media (min-width: 760px) { li { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); } }
      .statement { display: grid; gap: 0.125rem; grid-template-columns: minmax(0, 1fr); justify-items: start; font-size: 0.875rem;
        line-height: 1.4; overflow-wrap: anywhere; }
      .statement a { color: var(--accent); }
      svg { display: block; width: 100%; height: 2rem; overflow: visible; }
      .axis svg { height: 1rem; }
    `,
  ];

  @property({ attribute: false }) rows: readonly LabFigureRow[] = [];

  protected override render() {
    const extent = plotExtent(this.rows.map(({ row }) => row));
    return html`<figure aria-label=${labStrings.figure.title}>
      <ol>${this.rows.map(
        ({ label, described, chip, note, row }) => html`<li>
        <div class="statement"><span>${label}</span><span class="conclusions">${chip}</span><span class="caption number">${note}</span></div>
        <svg role="img" aria-label=${described}>${unsafeSVG(plotSvg(row, extent))}</svg></li>`,
      )}
        ${this.rows.length > 0 ? html`<li class="axis" aria-hidden="true"><span></span><svg>${unsafeSVG(axisSvg(extent))}</svg></li>` : nothing}</ol>
      <figcaption class="caption">${PLOT_CAPTION}</figcaption>
    </figure>`;
  }
}
