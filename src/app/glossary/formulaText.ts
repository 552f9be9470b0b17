import { html, type TemplateResult } from 'lit';

/** Renders a formula with superscripts and subscripts. */
export function formula(text: string): TemplateResult {
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
