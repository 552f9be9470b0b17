import { css } from 'lit';

/** Layout of the Python panel: editor and tests are side by side if there is room. */
export const workbenchStyles = css`
  .bench { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem 1.5rem; margin-top: 0.75rem; }
  .bench > * { min-width: 0; }
  @media (min-width: 900px) { .bench { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
  .which { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: end; margin-bottom: 0.625rem; }
  .which label { display: grid; gap: 0.125rem; font-size: 0.8125rem; color: var(--ink-2); min-width: 0; }
  .which label > * { color: var(--ink); max-width: 100%; }
  .wrong { color: var(--bad); font-size: 0.8125rem; margin: 0.375rem 0 0; overflow-wrap: anywhere; }
  .go { display: flex; flex-wrap: wrap; gap: 0.375rem 0.5rem; align-items: center; margin-top: 0.625rem; }
  .stage { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin-top: 0.5rem;
    font-size: 0.8125rem; color: var(--ink-2); font-variant-numeric: tabular-nums; }
  .stage.failed { color: var(--bad); overflow-wrap: anywhere; }
  progress { accent-color: var(--accent); width: 10rem; max-width: 100%; height: 0.5rem; }
  ol { list-style: none; margin: 0.5rem 0; padding: 0; }
  .summary { font-size: 0.9375rem; font-weight: 600; min-height: 1.45em; }
  @media print { .which, .go, .stage { display: none; } }
`;
