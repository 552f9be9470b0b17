import { css, html } from 'lit';
import { type GlossaryTerm, glossaryStrings } from '../strings/glossaryStrings.ts';

/** Styles of a list of terms. */
export const termListStyles = css`
  dl { margin: 0; display: grid; gap: 0.5rem; font-size: 0.8125rem; line-height: 1.45; }
  dt { font-weight: 620; }
  dfn { font-style: normal; }
  dd { margin: 0; color: var(--ink-2); overflow-wrap: anywhere; }
`;

/** Renders terms with their meanings. */
export function renderTermList(terms: readonly GlossaryTerm[]) {
  return html`<dl>${terms.map((term) => {
    const [title, meaning] = glossaryStrings.meanings[term];
    return html`<div><dt><dfn>${title}</dfn></dt><dd>${meaning}</dd></div>`;
  })}</dl>`;
}
