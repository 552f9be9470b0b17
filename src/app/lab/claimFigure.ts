import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { PairedResult } from '../../experiments/claims/claimResult.ts';
import { amount, interval, signed, statusText } from '../../experiments/claims/verdictWords.ts';
import { base } from '../look/styles.ts';
import { labStrings } from '../strings/labStrings.ts';
import { verdictStyles } from './labStyles.ts';
import { outcomeChip } from './verdictChips.ts';

/** The tests of an experiment that take a difference at every seed: the seeds, their mean with its interval, the margin. */
@customElement('tw-claim-figure')
export class ClaimFigure extends LitElement {
  static override styles = [
    base,
    verdictStyles,
    css`
      ol { display: grid; gap: 0.75rem; margin: 0.5rem 0 0; padding: 0; list-style: none; }
      li { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.125rem 1rem; align-items: center; }
      @media (min-width: 760px) { li { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); } }
      .statement { display: grid; gap: 0.125rem; grid-template-columns: minmax(0, 1fr); justify-items: start; font-size: 0.875rem;
        line-height: 1.4; overflow-wrap: anywhere; }
      svg { display: block; width: 100%; height: 3rem; overflow: visible; }
      text { font-size: 11px; fill: var(--ink-2); font-variant-numeric: tabular-nums; }
      .axis { stroke: var(--line-2); }
      .margin { fill: var(--ink-3); opacity: 0.2; }
      .mean { stroke: var(--ink); stroke-width: 2.5; }
      circle { opacity: 0.8; }
    `,
  ];

  @property({ attribute: false }) outcomes: readonly PairedResult[] = [];
  /** As in ExperimentResult. */
  @property({ attribute: false }) edition: 1 | undefined;

  protected override render() {
    const texts = labStrings.figure;
    return html`<figure style="margin: 0" aria-labelledby="title">
      <figcaption><h4 id="title" class="visually-hidden">${texts.title}</h4><span class="caption">${texts.caption}</span></figcaption>
      <ol>${this.outcomes.map((outcome) => html`<li>${this.words(outcome)}${this.picture(outcome)}</li>`)}</ol>
    </figure>`;
  }

  private words(outcome: PairedResult) {
    const { test, higher, lower, judgement } = outcome;
    const texts = labStrings.figure;
    const { statement, unit, margin } = test;
    const unnamed = higher !== lower && [higher, lower].some((name) => !statement.toLowerCase().includes(name));
    const { mean, low, high } = judgement;
    const own = unit ?? texts.points;
    return html`<div class="statement">
      <span>${statement}${unnamed ? html` <span class="muted">(${texts.arms(higher, lower)})</span>` : nothing}</span>
      <span class="verdicts">${outcomeChip(outcome, this.edition)}${test.primary ? html`<span class="muted">${texts.primary}</span>` : nothing}</span>
      <span class="caption number">${texts.found(signed(mean, unit), own, interval(low, high, unit))}; ${texts.margin(`${test.asks === 'keeps' ? '−' : ''}${amount(margin, unit)}`)}</span>
    </div>`;
  }

  /** Places are shares of the width, so that it needs to know none. */
  private picture(outcome: PairedResult) {
    const { test, differences, judgement } = outcome;
    const texts = labStrings.figure;
    const { margin, unit, statement } = test;
    const ends = [judgement.low, judgement.high].filter((value) => value !== null && Number.isFinite(value));
    const all = [...differences.map(({ difference }) => difference), ...ends, margin];
    const most = Math.max(...all.map(Math.abs)) * 1.08 || 1;
    const at = (value: number) => `${(50 + (46 * value) / most).toFixed(2)}%`;
    return html`<svg role="img" aria-label=${this.edition ? statement : `${statement}: ${statusText(outcome)}`}>
      <rect class="margin" x=${at(-margin)} width=${`${((92 * margin) / most).toFixed(2)}%`} y="3" height="26" />
      <line class="axis" x1="4%" x2="96%" y1="16" y2="16" /><line class="axis" x1="50%" x2="50%" y1="2" y2="30" />
      ${differences.map(
        ({ seed, difference }) =>
          svg`<circle cx=${at(difference)} cy="16" r="3.5" style="fill: var(--series-1)"><title>${texts.dot(seed, signed(difference, unit))}</title></circle>`,
      )}
      ${
        ends.length === 2
          ? svg`<line class="mean" x1=${at(judgement.low)} x2=${at(judgement.high)} y1="26" y2="26" /><line class="mean" x1=${at(judgement.mean)} x2=${at(judgement.mean)} y1="22" y2="30" />`
          : nothing
      }
      <text x="4%" y="44">${signed(-most, unit)}</text><text x="50%" y="44" text-anchor="middle">0</text>
      <text x="96%" y="44" text-anchor="end">${signed(most, unit)} ${unit ?? texts.points}</text>
    </svg>`;
  }
}
