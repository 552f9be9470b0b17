import { css, html, nothing, type TemplateResult } from 'lit';
import type { RuleFacts } from '../../credit/rule.ts';
import { RULE_SOURCES } from '../../credit/ruleSources.ts';
import { glossaryStrings } from '../strings/glossaryStrings.ts';

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
  return link(`https://arxiv.org/abs/${number}`, glossaryStrings.arxiv(number));
}

/** Returns the arXiv number in the reference of a rule; undefined if the reference has none. */
export function arxivOf(reference: string): string | undefined {
  return /arXiv (\d{4}\.\d{4,5})/.exec(reference)?.[1];
}

/** Returns the GitHub address in a reference, without `https://`; undefined if the reference has none. */
export function webAddressOf(reference: string): string | undefined {
  return /\bgithub\.com\/\S+/.exec(reference)?.[0];
}

function link(address: string, text: string) {
  return html`<a href=${address} target="_blank" rel="noopener">${text}</a>`;
}

/** Renders a formula with superscripts and subscripts. */
function formula(text: string): TemplateResult {
  return html`${formulaPieces(text).map(piece)}`;
}

function piece({ level, pieces }: FormulaPiece): TemplateResult {
  const inner = typeof pieces === 'string' ? pieces : pieces.map(piece);
  if (level === 'super') return html`<sup>${inner}</sup>`;
  return level === 'sub' ? html`<sub>${inner}</sub>` : html`${inner}`;
}

/** Part of a formula: on the baseline, a superscript or a subscript. Scripts can contain further parts. */
export interface FormulaPiece {
  readonly level: 'line' | 'super' | 'sub';
  readonly pieces: string | readonly FormulaPiece[];
}

/** Superscript or subscript of a formula, for example `^O` and `_i` in `A^O_i`, or `_{l=k}` and `^{K_i−1}`. */
const SCRIPT = /[\^_](?:\{((?:[^{}]|\{[^{}]*\})*)\}|\(((?:[^()]|\([^()]*\))*)\)|([\p{L}\p{N}]+|[−+*]))/gu;

/**
 * Splits a formula into the pieces to draw. `_i` and `_{i,k}` are subscripts; `^O`, `^{l−k}` and `^(K − 1)` are
 * superscripts.
 */
export function formulaPieces(text: string): readonly FormulaPiece[] {
  const pieces: FormulaPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(SCRIPT)) {
    const before = text.slice(from, match.index);
    if (before) pieces.push({ level: 'line', pieces: before });
    const inner = match[1] ?? match[2] ?? match[3] ?? '';
    pieces.push({ level: match[0].startsWith('^') ? 'super' : 'sub', pieces: formulaPieces(inner) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ level: 'line', pieces: text.slice(from) });
  return pieces;
}
