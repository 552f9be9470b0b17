import { css } from 'lit';

/** Styles of the group table. On narrow screens each row becomes a card, so that the table does not scroll sideways. */
export const tableStyles = css`
  table { width: 100%; table-layout: auto; font-size: 0.8125rem; }
  thead th { border-bottom: 1px solid var(--line-2); vertical-align: bottom; }
  td, tbody th { border-bottom: 1px solid var(--line); vertical-align: top; padding: 0.3rem 0.5rem; }
  td, .value { font-variant-numeric: tabular-nums; }
  small { color: var(--ink-2); font-size: 0.6875rem; line-height: 1.3; }
  .index { width: 2rem; padding-inline: 0.125rem; text-align: center; }
  .index button { min-width: 1.75rem; font-weight: 600; font-size: 0.8125rem; }
  .words { width: 20%; overflow-wrap: anywhere; line-height: 1.35; }
  .reward small { display: block; }
  .reward { min-width: 5.5rem; }
  .reward.parts { width: 20%; }
  .credit { width: 8.75rem; }
  .key { margin-top: 0.5rem; font-size: 0.75rem; color: var(--ink-2); }
  .credit .value { display: flex; align-items: center; gap: 0.375rem; }
  .credit b { min-width: 3rem; text-align: end; }
  .credit small { display: block; min-width: 3rem; width: 3rem; text-align: end; white-space: nowrap; }
  .bar { position: relative; flex: 1 1 auto; height: 0.625rem; min-width: 1.5rem; border-inline-start: 0; background:
    linear-gradient(var(--ink-3), var(--ink-3)) center / 1px 100% no-repeat; }
  .bar i { position: absolute; top: 0.0625rem; bottom: 0.0625rem; width: calc(var(--share) * 50%); }
  .bar .more { left: 50%; background: var(--more); }
  .bar .less { right: 50%; background: repeating-linear-gradient(90deg, var(--less) 0 2px, transparent 2px 3px); }
  /* A bar that exceeds the scale ends in an arrow: the shape is visible in any colour. */
  .bar .cut { top: 0; bottom: 0; clip-path: polygon(0 0, 55% 0, 100% 50%, 55% 100%, 0 100%); }
  .bar .less.cut { clip-path: polygon(100% 0, 45% 0, 0 50%, 45% 100%, 100% 100%); }
  tbody tr { cursor: pointer; }
  tbody tr:hover { background: var(--hover); }
  tr.chosen { background: var(--hover); box-shadow: inset 3px 0 0 var(--accent); }
  tr.chosen .index button { color: var(--accent); }

  @media (max-width: 760px) {
    table, tbody { display: block; }
    thead { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; }
    tbody tr {
      display: grid; grid-template-columns: 2rem repeat(2, minmax(0, 1fr)); gap: 0 0.5rem; padding: 0.375rem 0;
      border-bottom: 1px solid var(--line-2);
    }
    td, tbody th { display: block; border: 0; padding: 0.125rem 0; width: auto; }
    .index { grid-row: 1 / span 9; width: auto; }
    td.words, td.credit, td.reward, td.reward.parts { width: auto; min-width: 0; }
    .words, .reward { grid-column: 2 / -1; }
    td::before { content: attr(data-label) ' '; font-size: 0.6875rem; color: var(--ink-2); }
    .reward small { display: inline; }
    .credit .value { display: inline-flex; width: calc(100% - 2rem); vertical-align: middle; }
    .credit small { width: auto; display: inline; }
    .credit b { min-width: 2.75rem; }
  }
`;
