import { css, html } from 'lit';
import { live } from 'lit/directives/live.js';
import { laneStrings } from '../strings/laneStrings.ts';
import type { SeriesDefinition } from './series.ts';

/** Renders the choice of the line in a chart of several runs. @param choose receives the index of the chosen line */
export function lineChoice(series: readonly SeriesDefinition[], chosen: number, choose: (index: number) => void) {
  return html`<fieldset class="line-choice">
    <legend class="visually-hidden">${laneStrings.metric}</legend>
    ${series.map(
      ({ label }, index) => html`<label><input type="radio" name="line" .checked=${live(index === chosen)}
        @change=${() => choose(index)} />${label}</label>`,
    )}
  </fieldset>`;
}

export const lineChoiceStyles = css`
  .line-choice { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 0.5rem; padding: 0; border: 0; font-size: 0.875rem; }
  .line-choice label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.625rem; }
`;
