import { css } from 'lit';

/** Styles of conclusions: a sign, a word and a colour. */
export const conclusionStyles = css`
  .conclusions { display: flex; flex-wrap: wrap; gap: 0.25rem 0.375rem; align-items: center; font-size: 0.8125rem; }
  .conclusion { display: inline-flex; gap: 0.3em; align-items: center; padding: 0.0625rem 0.5rem; border: 1px solid currentcolor;
    border-radius: 99px; color: var(--ink-2); white-space: nowrap; }
  .conclusion:is(.holds, .reproduced) { color: var(--series-3); }
  .conclusion:is(.reverse, .contradicted) { color: var(--bad); }
  .conclusion:is(.no-such-gain, .in-part) { color: var(--series-2); }
`;
