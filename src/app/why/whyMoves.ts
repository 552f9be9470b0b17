import { css, html, LitElement, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { WhyMove } from '../../experiments/why.ts';
import { signed } from '../group/groupNumbers.ts';
import { base } from '../look/styles.ts';
import { whyStrings } from '../strings/whyStrings.ts';

/** Width of a bar with its gap, half the height of a strip, and the gap between the strips [px]. */
const BAR = 9;
const HALF = 26;
const GAP = 10;

/**
 * Two strips with one bar per update: the predicted change of the watched probability, and below it the change that
 * followed.
 */
@customElement('tw-why-moves')
export class WhyMoves extends LitElement {
  static override styles = [
    base,
    css`
      h4 { margin: 0.75rem 0 0; font-size: 0.875rem; font-weight: 620; }
      .strips { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 0.75rem; align-items: center; margin-top: 0.375rem; }
      .names { display: grid; gap: 0.625rem; grid-auto-rows: 3.25rem; align-items: center; color: var(--ink-2); font-size: 0.75rem; }
      .scroll { overflow-x: auto; }
      svg { display: block; }
      line { stroke: var(--line-2); }
      .more { fill: var(--more); }
      .less { fill: var(--less); }
      .lost { opacity: 0.3; }
      .against { stroke: var(--ink); stroke-width: 1.5; }
      @media (max-width: 40rem) { .names { font-size: 0.6875rem; max-width: 4.5rem; } }
    `,
  ];

  @property({ attribute: false }) moves: readonly WhyMove[] = [];

  protected override render() {
    const texts = whyStrings.moves;
    const { moves } = this;
    const agreements = moves.flatMap(({ agrees }) => agrees ?? []);
    const width = Math.max(1, moves.length) * BAR;
    const label = texts.describe((moves[0]?.step ?? 0) + 1, (moves.at(-1)?.step ?? 0) + 1);
    return html`<h4>${texts.title}</h4>
      <p class="caption">${texts.caption(agreements.filter((same) => same).length, agreements.length)}</p>
      <div class="strips">
        <div class="names" aria-hidden="true"><span>${texts.predicted}</span><span>${texts.followed}</span></div>
        <div class="scroll" tabindex="0" role="region" aria-label=${texts.title}>
          <svg role="img" aria-label=${label} width=${width} height=${4 * HALF + GAP}>
            ${this.strip(({ move }) => move, HALF, width)} ${this.strip(({ change }) => change, 3 * HALF + GAP, width)}
          </svg>
        </div>
      </div>`;
  }

  /** @param middle y coordinate of the middle of the strip [px] */
  private strip(read: (move: WhyMove) => number, middle: number, width: number) {
    const largest = Math.max(...this.moves.map((move) => Math.abs(read(move))).filter(Number.isFinite), 1e-9);
    return svg`<line x1="0" x2=${width} y1=${middle} y2=${middle} />${this.moves.map((move, index) => {
      const value = read(move);
      if (!Number.isFinite(value)) return '';
      const height = Math.max(1, (Math.abs(value) / largest) * HALF);
      const style = `${value < 0 ? 'less' : 'more'} ${move.agrees === undefined ? 'lost' : move.agrees ? '' : 'against'}`;
      return svg`<rect class=${style} x=${index * BAR + 1} width=${BAR - 2} y=${value < 0 ? middle : middle - height}
        height=${height}><title>${whyStrings.moves.bar(move.step + 1, signed(move.move, 4), signed(move.change))}</title></rect>`;
    })}`;
  }
}
