import { css } from 'lit';

/** Styles of the tree of rollouts. */
export const rolloutTreeStyles = css`
  figure, section[aria-labelledby='parameters'], tw-states-choice { margin-top: 0.75rem; }
  section > tw-rule-parameters { margin-top: 0.375rem; }
  .edge .line { fill: none; }
  .edge .hit { fill: none; stroke: transparent; stroke-width: 14; }
  .edge.solved .line { stroke: var(--series-1); }
  .edge.mixed .line { stroke: var(--series-4); stroke-dasharray: 12 4; }
  .edge.failed .line { stroke: var(--series-2); stroke-dasharray: 3 4; }
  .edge.incomplete .line { stroke: var(--ink-3); stroke-dasharray: 1 4; stroke-linecap: round; }
  .edge[aria-selected='true'] .line { stroke: var(--ink); }
  svg .edge:focus, svg .edge:focus-visible { outline: none; }
  .edge:focus-visible .hit { stroke: color-mix(in srgb, var(--focus) 40%, transparent); }
  svg .halo { paint-order: stroke; stroke: var(--surface); stroke-width: 3px; font-size: 10px; fill: var(--ink-2);
    pointer-events: none; }
  svg .halo.strong, svg .strong { fill: var(--ink); font-weight: 620; }
  .ends { font-size: 11px; font-weight: 620; }
  .ends.failed, .ends.incomplete { fill: var(--ink-2); }
  .state rect { fill: var(--surface); stroke: var(--ink-2); stroke-width: 1.5; }
  .state.single rect { fill: var(--ground); stroke: var(--ink-3); stroke-dasharray: 2 3; }
  .state.single text { fill: var(--ink-2); }
  svg .state text { font-size: 10.5px; }
  svg .state .tiny { font-size: 9.5px; }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem 1.5rem;
    margin: 1rem 0; align-items: start; }
  .formula { min-width: 0; }
  @media (min-width: 700px) { .formula { min-height: 12rem; } }
  .description { font-size: 0.8125rem; margin: 0.25rem 0 0.5rem; overflow-wrap: anywhere; }
  .taken { display: flex; flex-wrap: wrap; gap: 0.25rem; align-items: center; margin-top: 0.5rem; font-size: 0.8125rem; }
`;
