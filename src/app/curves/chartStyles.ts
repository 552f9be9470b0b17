import { css } from 'lit';

/** Styles of a chart. Large charts have larger text for a projector. */
export const chartStyles = css`
  figure { margin: 0; }
  figcaption { display: grid; grid-template-columns: minmax(0, 1fr) max-content; align-items: baseline; gap: 0 0.5rem; }
  figcaption .caption { grid-row: 2; grid-column: 1 / -1; }
  :host(:not([large])) .caption { font-size: 0.75rem; }
  .tools { display: flex; grid-column: 2; grid-row: 1; }
  .tools button { color: var(--ink-2); font-size: 0.75rem; padding: 0 0.25rem; min-height: 1.5rem; }
  .legend {
    display: flex; flex-wrap: wrap; gap: 0 0.5rem; margin: 0.125rem 0 0; padding: 0; list-style: none;
    font-size: 0.71875rem; min-height: 1.25rem;
  }
  .legend li { gap: 0.25rem; }
  :host([large]) .legend li { gap: 0.375rem; }
  :host([large]) .legend { font-size: 0.9375rem; gap: 0.125rem 1.25rem; margin-block: 0.375rem 0.125rem; }
  .legend li { display: inline-flex; align-items: center; white-space: nowrap; }
  .swatch line { stroke-width: 2.5; }
  .plot { position: relative; touch-action: pan-y; }
  .plot > svg { display: block; width: 100%; overflow: visible; }
  .empty { position: absolute; inset: 0; display: grid; place-items: center; pointer-events: none; }
  .empty span { padding: 0 0.375rem; background: var(--surface); }
  .reader { position: absolute; inset: 0; cursor: crosshair; }
  text { font-family: inherit; font-size: 11px; fill: var(--ink-2); font-variant-numeric: tabular-nums; }
  :host([large]) text { font-size: 12px; }
  .domain { stroke: var(--line-2); }
  .axis-y .domain { display: none; }
  .tick line { stroke: var(--line-2); }
  .grid line { stroke: var(--line); }
  .lines path { stroke-width: 1.75; stroke-linejoin: round; }
  :host([large]) .lines path { stroke-width: 2.25; }
  .lines path.thin, :host([large]) .lines path.thin { stroke-width: 1; opacity: 0.55; }
  .recorded path { fill: var(--ink-3); opacity: 0.2; }
  .band path { opacity: 0.16; stroke: none; }
  .ends text { font-weight: 600; }
  .marks line { stroke: var(--ink-3); stroke-dasharray: 1 3; }
  .marks .rule line { stroke: var(--ink); stroke-width: 1.25; stroke-dasharray: none; }
  .marks .rule text { fill: var(--ink); font-weight: 600; }
  .marks .planned line { stroke-dasharray: 4 4; stroke: var(--ink-3); }
  .marks .planned text { fill: var(--ink-2); font-weight: 400; font-style: italic; }
  .cursor line { stroke: var(--ink-2); stroke-dasharray: 2 2; }
  .cursor circle { stroke: var(--surface); stroke-width: 1.5; }
  /* In a low window, all text is on one line. */
  @media (min-width: 641px) {
    :host([low]) figcaption { grid-template-columns: max-content minmax(0, 1fr) max-content; gap: 0 0.75rem; }
    :host([low]) figcaption .caption { grid-row: 1; grid-column: 2; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
    :host([low]) .tools { grid-column: 3; }
    :host([low][large]) .legend { margin-block: 0.125rem 0; font-size: 0.875rem; }
  }
  @media print { .tools { display: none !important; } }
`;
