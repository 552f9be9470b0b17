import { css } from 'lit';

/** The place of the challenge. */
export const challengeStyles = css`
  main { max-width: 76rem; margin: 0 auto; padding: 1rem clamp(0.75rem, 2vw, 1.5rem) 2.5rem; outline: none; }
  h1 { margin: 0 0 0.25rem; font-size: 1.5rem; letter-spacing: -0.02em; }
  .lead { max-width: 48rem; font-size: 1.0625rem; line-height: 1.5; text-wrap: pretty; }
  .how { max-width: 48rem; margin-top: 0.375rem; color: var(--ink-2); line-height: 1.5; }
  .tasks { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 1rem 0 0.75rem; padding: 0; list-style: none; }
  .tasks a { display: block; padding: 0.375rem 0.75rem; border: 1px solid var(--line-2); border-radius: 99px; color: var(--ink);
    font-size: 0.875rem; text-decoration: none; }
  .tasks a:hover { background: var(--hover); }
  .tasks a[aria-current] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 620; }
  .box { display: block; margin-bottom: 1rem; padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: 10px;
    background: var(--surface); }
  .box > p { max-width: 52rem; margin-top: 0.375rem; line-height: 1.5; }
  .group { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; margin-top: 0.75rem; font-size: 0.875rem; }
  .group select { max-width: 100%; }
  footer { display: flex; justify-content: end; max-width: 76rem; margin: 0 auto; padding: 0 clamp(0.75rem, 2vw, 1.5rem) 1.5rem;
    font-size: 0.8125rem; }
  @media print { footer, .tasks { display: none; } }
`;
