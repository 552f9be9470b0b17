import { css } from 'lit';

/** Where the parts of the page stand. */
export const appStyles = css`
  .skip { position: absolute; inset-inline-start: -99rem; top: 0; z-index: 20; padding: 0.5rem 1rem;
    background: var(--surface);
    color: var(--accent); }
  .skip:focus { inset-inline-start: 0.5rem; }
  main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; max-width: 100rem; margin: 0 auto;
    padding: 1rem clamp(0.75rem, 2vw, 1.5rem) 1.5rem; outline: none; }
  @media (max-height: 900px) { main { padding-top: 0.625rem; } main, .column { gap: 0.625rem; } }
  .column { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; }
  .top, .bottom { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; align-items: start; }
  .top > *, .bottom > * { min-width: 0; }
  footer { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; justify-content: space-between; align-items: center;
    max-width: 100rem; margin: 0 auto; padding: 0 clamp(0.75rem, 2vw, 1.5rem) 1.5rem; font-size: 0.8125rem;
    color: var(--ink-2); }
  .keys { display: inline-flex; align-items: center; gap: 0.375rem; min-height: 1.5rem; margin-inline-start: auto; }
  @media (min-width: 1100px) {
    .top.with-aside { grid-template-columns: minmax(0, 1fr) 19.5rem; }
    .bottom { grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); }
  }
  @media print {
    aside, tw-run-list, tw-share, footer, tw-notices { display: none; }
    main { gap: 0.5rem; padding: 0; }
  }
`;
