import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { chooseSeriesStyle } from '../curves/series.ts';
import { base } from '../look/styles.ts';
import { laneNames } from '../session/naming.ts';
import type { RunModel } from '../session/runModel.ts';
import { laneStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';

/** Event that requests to show a run in the panels, or to close it. */
export class LaneEvent extends CustomEvent<{ readonly act: 'show' | 'close'; readonly index: number }> {
  constructor(act: 'show' | 'close', index: number) {
    super('lane', { detail: { act, index }, bubbles: true, composed: true });
  }
}

/**
 * List of the runs that train side by side, with the line style, step and status of each run. The user selects the run
 * that the panels show.
 * @fires lane when the user selects or closes a run (LaneEvent)
 */
@customElement('tw-lanes')
export class LanesBar extends LitElement {
  static override styles = [
    base,
    css`
      fieldset { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0; padding: 0; border: 0; min-width: 0; }
      .run { display: inline-flex; align-items: stretch; border: 1px solid var(--line-2); border-radius: 8px;
        background: var(--surface); min-width: 0; font-size: 0.875rem; }
      .run.shown { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
      label { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0 0.5rem; padding: 0.25rem 0.625rem; cursor: pointer; min-width: 0; }
      input { margin: 0; }
      .muted { font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
      line { stroke-width: 2.5; }
      button { border-width: 0 0 0 1px; border-color: var(--line-2); border-radius: 0 7px 7px 0; background: none; padding: 0 0.5rem; min-height: 0; }
      @media (max-width: 400px) { label { gap: 0 0.25rem; padding-inline: 0.5rem; } }
      @media (pointer: coarse) { label { min-height: 2.375rem; } button { min-width: 2.375rem; } }
      @media (forced-colors: active) { .run.shown { outline: 2px solid Highlight; } }
    `,
  ];

  @property({ attribute: false }) runs: readonly RunModel[] = [];
  /** Index of the run that the panels show. */
  @property({ type: Number }) selectedIndex = 0;
  /** Number that changes with the runs, because they change in place. */
  @property({ type: Number }) revision = 0;

  protected override render() {
    const texts = laneStrings;
    const names = laneNames(this.runs);
    return html`<fieldset>
      <legend class="visually-hidden">${texts.selectedRun}</legend>
      ${this.runs.map((run, index) => {
        const isSelected = index === this.selectedIndex;
        const { number, title } = names[index] ?? { number: index + 1, title: '' };
        const { colour, dash } = chooseSeriesStyle(index);
        const status = run.status === 'playing' ? '' : ` · ${strings.status[run.status]}`;
        return html`<div class="run ${isSelected ? 'shown' : ''}">
          <label>
            <input type="radio" name="run" .checked=${live(isSelected)} @change=${() => this.dispatchAction('show', index)} />
            <svg width="24" height="8" aria-hidden="true">
              <line x1="0" x2="24" y1="4" y2="4" style="stroke: var(${colour})" stroke-dasharray=${dash || 'none'} />
            </svg>
            <span>${number} ${title}</span>
            <span class="muted">${texts.step(run.step)}${status}</span>
          </label>
          ${
            index === 0
              ? ''
              : html`<button class="plain" aria-label=${texts.close(number)} title=${texts.close(number)}
                  @click=${() => this.dispatchAction('close', index)}>×</button>`
          }
        </div>`;
      })}
    </fieldset>`;
  }

  private dispatchAction(act: 'show' | 'close', index: number): void {
    this.dispatchEvent(new LaneEvent(act, index));
  }
}
