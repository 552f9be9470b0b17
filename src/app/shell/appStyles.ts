import { css } from 'lit';

/** Layout of the parts of the page. */
export const appStyles = css`
  .skip { position: absolute; inset-inline-start: -99rem; top: 0; z-index: 20; padding: 0.5rem 1rem;
    background: var(--surface);
    color: var(--accent); }
  .skip:focus { inset-inline-start: 0.5rem; }
  main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; max-width: 100rem; margin: 0 auto;
    padding: 1rem clamp(0.75rem, 2vw, 1.5rem) 1.5rem; outline: none; }
  @media (max-height: 900px) { main { padding-top: 0.625rem; } main, .column { gap: 0.625rem; } }
  .lead { font-size: 1.125rem; font-weight: 560; letter-spacing: -0.01em; text-wrap: pretty; }
  .head { display: flex; flex-wrap: wrap; gap: 0.375rem 1rem; align-items: center; justify-content: space-between; }
  .tour { flex: none; }
  .scene > * { scroll-margin-bottom: 9rem; }
  @media (prefers-reduced-motion: no-preference) { .scene > * { transition: opacity 0.2s; } }
  .on-picture > :not(tw-picture), .on-chart > tw-picture { opacity: 0.3; }
  .scene { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; align-items: start; }
  .column { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; }
  /* Takes no space in the grid, and remains available to screen readers. */
  .empty { position: absolute; }
  .top, .bottom { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; align-items: start; }
  .top > *, .bottom > * { min-width: 0; }
  @media (min-width: 900px) {
    .scene { grid-template: 'picture chart' auto 'picture sentence' auto 'picture note' 1fr / minmax(0, 1fr) minmax(0, 1fr); row-gap: 0.5rem; }
    .scene tw-slow-device { grid-area: note; }
    .scene tw-picture { grid-area: picture; }
    .scene tw-curves { grid-area: chart; }
    .scene tw-sentence { grid-area: sentence; }
  }
  @media (max-width: 640px) { tw-page-header > button { padding-inline: 0.4rem; } }
  @media (max-width: 899px) { .scene tw-picture { order: 1; } }
  @media (min-width: 1100px) {
    .top.with-controls { grid-template-columns: minmax(0, 1fr) 19.5rem; }
    .bottom { grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); }
  }
  @media print {
    .controls, tw-run-list, tw-share, tw-notices { display: none; }
    main { gap: 0.5rem; padding: 0; }
  }
`;
