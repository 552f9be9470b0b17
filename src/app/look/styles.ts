import { css } from 'lit';

/** Styles of buttons, fields, headings and tables that all elements share. Colours come from theme.css. */
export const base = css`
  :host { display: block; }
  :host([hidden]), [hidden] { display: none !important; }
  *, *::before, *::after { box-sizing: border-box; }
  h2, h3 { margin: 0; font-weight: 620; letter-spacing: -0.005em; line-height: 1.25; text-wrap: balance; }
  h2 { font-size: 1.0625rem; }
  h3 { font-size: 0.875rem; }
  p { margin: 0; }
  .muted, .caption { color: var(--ink-2); }
  .caption { font-size: 0.8125rem; line-height: 1.4; }
  .number { font-variant-numeric: tabular-nums; }
  .visually-hidden {
    position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
    white-space: nowrap;
  }
  button, input, select, summary { font: inherit; color: inherit; }
  button, .button {
    display: inline-flex; align-items: center; justify-content: center; gap: 0.4em;
    min-height: 2rem; padding: 0.2rem 0.7rem; border: 1px solid var(--line-2); border-radius: 6px;
    background: var(--surface); font-size: 0.875rem; line-height: 1.2; cursor: pointer; text-decoration: none;
  }
  a.button { color: inherit; }
  button:hover:not(:disabled), .button:hover { border-color: var(--ink-3); background: var(--hover); }
  button:disabled { color: var(--ink-3); cursor: default; }
  button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
  button.primary:disabled { opacity: 0.5; }
  button.primary:hover:not(:disabled) { background: var(--accent-2); }
  button.plain { border-color: transparent; background: none; padding: 0.1rem 0.35rem; min-height: 1.5rem; }
  button.plain:hover:not(:disabled) { background: var(--hover); }
  button.small { min-height: 1.625rem; padding: 0.1rem 0.5rem; font-size: 0.8125rem; }
  input[type='number'], input[type='text'], select {
    min-height: 2rem; padding: 0.15rem 0.4rem; border: 1px solid var(--line-2); border-radius: 6px;
    background: var(--surface); font-variant-numeric: tabular-nums;
  }
  input[type='range'] { accent-color: var(--accent); margin: 0; }
  input[type='checkbox'] { accent-color: var(--accent); width: 1rem; height: 1rem; margin: 0; }
  :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
  table { border-collapse: collapse; font-size: 0.8125rem; }
  th { text-align: start; font-weight: 600; color: var(--ink-2); }
  td, th { padding: 0.25rem 0.5rem; }
  summary { cursor: pointer; }
  @media (pointer: coarse) {
    button, .button, input[type='number'], select { min-height: 2.5rem; }
    button.small, button.plain { min-height: 2.25rem; }
  }
`;

/** Styles of a panel: a box with a heading. */
export const panel = css`
  :host { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 0.875rem 1rem; }
  header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 0.75rem; }
`;

/** Styles of a progress bar, and of the line below it with the progress, the remaining time and a button to cancel. */
export const progressLine = css`
  progress { width: 100%; height: 0.625rem; accent-color: var(--accent); margin: 0.5rem 0 0.25rem; }
  .line { display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: 0.875rem; font-variant-numeric: tabular-nums;
    align-items: center; }
  button { margin-inline-start: auto; }
`;
