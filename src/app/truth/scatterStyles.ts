import { css } from 'lit';

/** The look of the drawing of measured advantages. */
export const scatterStyles = css`
  :host { min-width: 0; }
  .drawing { position: relative; overflow: hidden; }
  .reader { position: absolute; inset: 4px; cursor: crosshair; touch-action: pan-y; }
  .wrongArea { fill: color-mix(in srgb, var(--series-2) 9%, transparent); }
  .zero { stroke: var(--line-2); }
  .bar { stroke: var(--ink-3); stroke-width: 1; opacity: 0.55; }
  .fit { stroke: var(--ink-2); stroke-width: 1.5; stroke-dasharray: 5 3; }
  .right { fill: var(--series-1); stroke: var(--surface); stroke-width: 1; }
  .wrong { fill: none; stroke: var(--series-2); stroke-width: 2.25; }
  .silent { fill: var(--surface); stroke: var(--series-3); stroke-width: 2; }
  .unclear { fill: var(--surface); stroke: var(--ink-3); stroke-width: 1.25; }
  .ring { fill: none; stroke: var(--ink); stroke-width: 1.75; }
  svg .head { font-weight: 620; font-size: 12px; }
  .told { margin-top: 0.375rem; min-height: 2.6em; font-size: 0.8125rem; overflow-wrap: anywhere; }
`;
