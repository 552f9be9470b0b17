import { css } from 'lit';

/** Styles of the trees of turns. */
export const programTreeStyles = css`
  .body { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 1.5rem; align-items: start;
    margin-top: 0.75rem; }
  .side { border-top: 1px solid var(--line); padding-top: 0.75rem; scroll-margin-top: 20vh; }
  :host { container-type: inline-size; }
  .close { float: inline-end; }
  .hint { display: none; }
  .drawing { max-height: 65vh; }
  /* The column next to the trees is empty until a turn is open, so that opening a turn moves nothing. */
  @container (min-width: 1000px) {
    .drawing { max-height: none; }
    .body { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); }
    .side { position: sticky; top: 4.5rem; max-height: calc(100vh - 5rem); overflow: auto; border-top: 0;
      padding-top: 0; border-inline-start: 1px solid var(--line); padding-inline-start: 1.25rem; }
    .hint { display: block; }
  }
  .links path { fill: none; stroke: var(--line-2); stroke-width: 1.5; }
  .node .box { fill: var(--surface); stroke: var(--line-2); stroke-width: 1.5; }
  .node.more .box { fill: color-mix(in srgb, var(--more) calc(var(--share) * 45%), var(--surface)); stroke: var(--more); }
  .node.less .box { fill: color-mix(in srgb, var(--less) calc(var(--share) * 45%), var(--surface)); stroke: var(--less);
    stroke-dasharray: 5 3; }
  .node.pruned .box { fill: var(--masked); stroke: var(--ink-3); stroke-dasharray: 1 3; }
  .node.pruned text { fill: var(--ink-2); }
  .node .solved { fill: none; stroke: var(--ink-2); stroke-width: 1; }
  .node .advantage { font-weight: 650; font-size: 12px; }
  .node.more .quiet, .node.less .quiet { fill: var(--ink); }
  svg .node .tiny { font-size: 10px; }
  .node.chosen .box { stroke: var(--ink); stroke-width: 2.5; }
  .node:hover .box { stroke-width: 2.5; }
`;
