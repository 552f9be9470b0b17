import { css, html } from 'lit';
import { type GlossaryTerm, glossaryStrings } from '../strings/glossaryStrings.ts';

/** Looks of a list of words. */
export const termListStyles = css`
  dl { margin: 0; display: grid; gap: 0.5rem; font-size: 0.8125rem; line-height: 1.45; }
  dt { font-weight: 620; }
  dfn { font-style: normal; }
  dd { margin: 0; color: var(--ink-2); overflow-wrap: anywhere; }
`;

/** Words with what they mean. */
export function renderTermList(terms: readonly GlossaryTerm[]) {
  return html`<dl>${terms.map((term) => {
    const [title, meaning] = glossaryStrings.meanings[term];
    return html`<div><dt><dfn>${title}</dfn></dt><dd>${meaning}</dd></div>`;
  })}</dl>`;
}
