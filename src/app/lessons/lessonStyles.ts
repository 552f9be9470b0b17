import { css } from 'lit';

/** Styles of running text: a larger font than in controls, and a limited line length. */
export const proseStyles = css`
  .prose { max-width: 44rem; font-size: 1.0625rem; line-height: 1.6; }
  .prose > * { margin: 0 0 0.75rem; }
  .prose ul, .prose ol { padding-inline-start: 1.25rem; }
  .prose li { margin-bottom: 0.25rem; }
  .prose pre { overflow-x: auto; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 8px;
    background: var(--surface); font-size: 0.875rem; }
  .prose code { font-size: 0.9em; }
  .prose table { font-size: 0.9375rem; }
  .prose hr { height: 1.875rem; margin: 1.75rem 0 0.75rem; border: solid var(--line-2); border-width: 1px 0; }
  @media print {
    .prose { max-width: none; font-size: 0.8125rem; line-height: 1.45; }
    .prose hr { height: 1.5rem; margin: 1.5rem 0 0.625rem; }
    .prose li { break-inside: avoid; }
    .prose ol:has(+ hr) { break-after: avoid; }
  }
  .prose a { color: var(--accent); }
  button.word { display: inline; min-height: 0; padding: 0; border: 0; border-radius: 0; background: none; font-size: inherit; line-height: inherit;
    text-decoration: underline dotted; text-underline-offset: 0.2em; text-decoration-color: var(--accent); }
  button.word:hover { background: var(--hover); }
  .meaning { position: fixed; margin: 0; inset: auto; width: min(22rem, calc(100vw - 12px)); padding: 0.75rem 0.875rem;
    overflow: auto; border: 1px solid var(--line-2); border-radius: 10px; color: var(--ink); background: var(--surface);
    box-shadow: 0 8px 28px rgb(0 0 0 / 0.25); }
`;

/** Styles of headings and links on the pages of lessons, the assessment and the notes for teachers. */
export const pageStyles = css`
  h1 { margin: 0.25rem 0; font-size: 1.625rem; line-height: 1.2; letter-spacing: -0.02em; text-wrap: balance; }
  h2 { margin: 1.75rem 0 0.375rem; font-size: 1.1875rem; }
  h3 { margin: 1.25rem 0 0.375rem; font-size: 1rem; }
  a { color: var(--accent); }
  .top { font-size: 0.875rem; }
`;

/**
 * Layout of a lesson: a sticky bar of steps, and the experiment next to the text if the window is wide enough.
 */
export const lessonLayout = css`
  .steps { position: sticky; top: var(--header, 0px); z-index: 5; margin-top: 0.75rem; border-bottom: 1px solid var(--line); background: var(--ground); }
  .steps ol { display: flex; gap: 0.125rem; margin: 0; padding: 0.25rem 0; list-style: none; overflow-x: auto; }
  .steps button { min-height: 2rem; padding-inline: 0.625rem; white-space: nowrap; }
  .steps button[aria-current] { font-weight: 620; border-color: var(--line-2); background: var(--surface); }
  h2[id], [id='predict'] { scroll-margin-top: calc(var(--header, 0px) + 3.5rem); }
  .experiment { margin-top: 1rem; }
  @media (min-width: 70rem) {
    .columns { display: grid; grid-template-columns: minmax(0, 38rem) minmax(0, 1fr); column-gap: 2rem; align-items: start; }
    .experiment { grid-column: 2; grid-row: 1 / span 2; position: sticky; top: calc(var(--header, 0px) + 3.25rem); }
    .idea, .after { grid-column: 1; }
  }
  @media print { .steps { display: none; } .columns { display: block; } .experiment { position: static; } }
`;
