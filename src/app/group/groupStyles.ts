import { css } from 'lit';

/** Styles of the group panel. Its width determines which parts are side by side. */
export const groupStyles = css`
  /* The browser skips the layout outside the viewport. */
  :host { content-visibility: auto; contain-intrinsic-size: auto 40rem; }
  .tools { margin-inline-start: auto; display: flex; flex-wrap: wrap; gap: 0.375rem; align-items: center; }
  .tools label { display: inline-flex; gap: 0.375rem; align-items: center; font-size: 0.8125rem;
    min-height: 1.625rem; }
  .paused { font-size: 0.8125rem; color: var(--ink-2); }
  @media (max-width: 640px) { .paused { display: none; } }
  .which { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0.375rem 0 0.5rem; font-size: 0.875rem; }
  .legend { margin: -0.25rem 0 0.5rem; }
  code { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
  .body { display: grid; gap: 1.25rem 1.75rem; grid-template-columns: minmax(0, 1fr); }
  .side { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; align-content: start; min-width: 0; }
  /* In a low window the first screen has the first rollouts. */
  @media (max-height: 900px) and (min-width: 641px) {
    header { flex-wrap: nowrap; }
    h2 { flex: none; }
    header .caption { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  }
  section { container-type: inline-size; }
  @container (min-width: 1100px) {
    .body { grid-template-columns: minmax(0, 1.75fr) minmax(20rem, 1fr); }
    .body.wide { grid-template-columns: minmax(0, 1fr); }
    .wide .side { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  }
  @container (min-width: 600px) and (max-width: 1099px) { .side { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
`;
