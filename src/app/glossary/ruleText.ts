import { css, html, nothing } from 'lit';
import type { RuleFacts } from '../../credit/rule.ts';
import { RULE_SOURCES } from '../../credit/ruleSources.ts';
import { glossaryStrings } from '../strings/glossaryStrings.ts';
import { formula } from './formulaText.ts';
import { arxivAddress, arxivOf, webAddressOf } from './terms.ts';

/** Styles of the description of a rule. */
export const ruleTextStyles = css`
  h3 span { font-weight: 400; color: var(--ink-2); }
  .formula { margin: 0.375rem 0 0; padding: 0.375rem 0.625rem; list-style: none; border-inline-start: 2px solid var(--line-2);
    font-family: 'Cambria Math', 'STIX Two Math', Georgia, 'Noto Serif', serif; line-height: 1.6; overflow-wrap: anywhere; }
  sub, sup { font-size: 0.75em; line-height: 0; }
  a { color: var(--accent); }
`;

/** Renders the description of a rule: its full name, its idea, its formulas and its paper. */
export function ruleText({ name, title, fullName, idea }: RuleFacts) {
  const { formula: lines, paper } = RULE_SOURCES[name];
  const { reference } = paper;
  const number = arxivOf(reference);
  const web = webAddressOf(reference);
  const from = web === undefined ? reference.replace(/,? *arXiv [\d.]+/, '') : reference.replace(web, '');
  return html`<h3>${title} <span>– ${fullName}</span></h3>
    <p>${idea}</p>
    <ul class="formula">${lines.map((line) => html`<li>${formula(line)}</li>`)}</ul>
    <p class="muted">${paper.title}. ${from}${number ? html`, ${paperLink(number)}` : nothing}${web ? link(`https://${web}`, web) : nothing}</p>`;
}

/**
 * Renders a link to the arXiv page of a paper.
 * @param number arXiv number, for example `2402.03300`
 */
export function paperLink(number: string) {
  return link(arxivAddress(number), glossaryStrings.arxiv(number));
}

function link(address: string, text: string) {
  return html`<a href=${address} target="_blank" rel="noopener">${text}</a>`;
}
