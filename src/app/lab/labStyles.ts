import { css } from 'lit';

/** Verdicts have the same look everywhere: a sign, a word and a colour. */
export const conclusionStyles = css`
  .verdicts { display: flex; flex-wrap: wrap; gap: 0.25rem 0.375rem; align-items: center; font-size: 0.8125rem; }
  .verdict { display: inline-flex; gap: 0.3em; align-items: center; padding: 0.0625rem 0.5rem; border: 1px solid currentcolor;
    border-radius: 99px; color: var(--ink-2); white-space: nowrap; }
  .verdict:is(.holds, .reproduced) { color: var(--series-3); }
  .verdict:is(.reverse, .contradicted) { color: var(--bad); }
  .verdict:is(.no-such-gain, .in-part) { color: var(--series-2); }
`;
