import { css } from 'lit';

/** Styles of the picture of a group. */
export const pictureStyles = css`
  :host { min-width: 0; padding: 0.625rem 0.875rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
  header { display: flex; flex-wrap: wrap; gap: 0 0.5rem; align-items: baseline; font-size: 0.9375rem; }
  header { flex-wrap: nowrap; }
  header h2 { font-size: inherit; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  header .when { flex: none; }
  header .when { margin-inline-start: auto; }
  ol { margin: 0.375rem 0 0; padding: 0; list-style: none; display: grid; gap: 0.125rem; }
  .lane { display: grid; grid-template-columns: 1rem minmax(0, 1fr) 1.25rem; gap: 0 0.5rem; align-items: center; width: 100%;
    min-height: 2.875rem; padding: 0.125rem 0.25rem; border: 1px solid transparent; background: none; text-align: start;
    font-size: 0.8125rem; line-height: 1.2; }
  button.lane:hover:not(:disabled) { border-color: var(--line-2); }
  .number { color: var(--ink-2); font-size: 0.75rem; }
  .turns { display: grid; gap: 0.1875rem 0.5rem; grid-template-columns: repeat(var(--turns), minmax(0, 1fr)); min-width: 0; }
  .turns.replied { grid-template-columns: minmax(0, 2.3fr) minmax(0, 1fr); }
  .cell { grid-row: 1; display: flex; gap: 0.25rem; align-items: center; min-width: 0; }
  .box, .reply { display: inline-flex; gap: 0.25rem; align-items: center; min-width: 0; min-height: 1.5rem; padding: 0 0.4375rem;
    border: 1.5px solid var(--ink-2); border-radius: 5px; white-space: nowrap; }
  .box span, .reply { overflow: hidden; text-overflow: ellipsis; }
  .box { flex: 0 1 auto; }
  .reply { display: block; flex: 0 1 auto; padding-block: 0.1875rem; border-style: solid; border-color: var(--masked-line); background: var(--masked); }
  .arrow { flex: none; color: var(--ink-3); }
  .skipped { border-color: var(--line-2); color: var(--ink-2); border-radius: 999px; }
  .malformed { border-style: dashed; border-color: var(--bad); color: var(--bad); }
  .box svg { flex: none; width: 0.75rem; height: 0.75rem; fill: none; stroke: currentcolor; stroke-width: 1.75; }
  .box sup { font-size: 0.625rem; line-height: 1; color: var(--accent); font-weight: 700; }
  .tests { display: flex; flex-wrap: wrap; gap: 2px; padding-block: 2px; }
  .tests i { width: 0.5rem; height: 0.5rem; border: 1px solid var(--ink-2); border-radius: 50%; }
  .tests i.yes { background: var(--ink); border-color: var(--ink); }
  .bar { grid-row: 2; display: flex; gap: 0.375rem; align-items: center; min-width: 0; height: 0.9375rem; font-size: 0.75rem;
    font-variant-numeric: tabular-nums; border-inline-start: 1px solid var(--line-2); }
  .bar i { flex: none; height: 0.5625rem; width: calc(var(--share) * (100% - 2.75rem)); min-width: 1px; border-radius: 0 2px 2px 0; }
  .bar.more i { background: var(--more); }
  .bar.less i { background: repeating-linear-gradient(135deg, var(--less) 0 4px, color-mix(in srgb, var(--less) 65%, transparent) 4px 6px); }
  .bar b { font-weight: 600; }
  .mark { font-size: 1rem; font-weight: 700; text-align: center; color: var(--ink-2); }
  .mark small { display: block; font-size: 0.6875rem; font-weight: 400; line-height: 1; font-variant-numeric: tabular-nums; }
  .mark.yes { color: var(--series-3); }
  .dense .turns { gap: 0.1875rem; }
  .dense .box { position: relative; padding: 0 0.125rem; font-size: 0.625rem; width: 100%; justify-content: center; }
  /* On the edge of the box, above the word. */
  .dense sup { position: absolute; top: -0.4375rem; inset-inline-end: 1px; padding-inline: 1px; background: var(--surface); }
  .dense .bar { height: 0.625rem; }
  .dense .bar i { width: calc(var(--share) * 100%); }
  footer { display: flex; flex-wrap: wrap; gap: 0.125rem 1rem; min-height: 1.25rem; margin-top: 0.375rem; font-size: 0.8125rem; color: var(--ink-2); }
  footer .key::before { content: ''; display: inline-block; width: 1.25rem; height: 0.5625rem; margin-inline-end: 0.375rem; background: var(--more); }
  footer .key.less::before { background: repeating-linear-gradient(135deg, var(--less) 0 4px, color-mix(in srgb, var(--less) 65%, transparent) 4px 6px); }
  footer .note { margin-inline-start: auto; color: var(--ink); font-weight: 600; }
  @media (max-width: 640px) {
    .wide { display: none; }
    .lane { padding-inline: 0; }
    .box, .reply { padding-inline: 0.25rem; font-size: 0.75rem; }
    .turns.replied { grid-template-columns: minmax(0, 2.6fr) minmax(0, 1fr); }
    /* Without a box, these lanes would repeat their animation when the window becomes wider. */
    li.later { position: absolute; width: 0; height: 0; overflow: hidden; visibility: hidden; }
    header h2 { white-space: normal; }
    /* A box shows its first letter, below the letter of its state. */
    .dense .box { height: 2rem; align-items: end; font-size: 0.75rem; }
    .dense .rest { font-size: 0; }
    .dense sup { top: 1px; inset-inline: 0; text-align: center; background: none; }
    .letters { flex-basis: 100%; order: 1; }
  }
  @media (min-width: 641px) { .narrow, .letters { display: none; } }
  @media (prefers-reduced-motion: no-preference) {
    .bar i { transition: width 0.18s ease-out; }
    .cell { animation: light 0.25s ease-out backwards; animation-delay: calc(var(--at) * 0.12s); }
    .mark { animation: light 0.25s ease-out 0.3s backwards; }
    .bar { animation: run 0.3s ease-out backwards; animation-delay: calc(0.4s + var(--back) * 0.12s); }
  }
  @keyframes light { from { opacity: 0.15; } }
  @keyframes run { from { opacity: 0; transform: translateX(1.5rem); } }
  /* A tour points out one part, and the others fade. */
  [data-stressed] :is(header, .lane, .bar, .mark, .cell, footer) { transition: opacity 0.2s; }
  [data-stressed='question'] :is(.lane, footer),
  [data-stressed='attempt'] :is(li:not(:first-child) .lane, .bar, footer),
  [data-stressed='attempts'] :is(.bar, footer),
  [data-stressed='results'] :is(.cell, .bar, footer),
  [data-stressed='credit'] .cell { opacity: 0.2; }
  @media (forced-colors: active) { .bar i { forced-color-adjust: none; } }
`;
