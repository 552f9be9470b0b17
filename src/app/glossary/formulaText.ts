import { html, type TemplateResult } from 'lit';

/** A rule's formula with its indices raised and lowered. */
export function formula(text: string): TemplateResult {
  return html`${formulaPieces(text).map(piece)}`;
}

function piece({ level, pieces }: FormulaPiece): TemplateResult {
  const inner = typeof pieces === 'string' ? pieces : pieces.map(piece);
  if (level === 'super') return html`<sup>${inner}</sup>`;
  return level === 'sub' ? html`<sub>${inner}</sub>` : html`${inner}`;
}

/** A piece of a formula: on the line, raised or lowered. */
export interface FormulaPiece {
  readonly level: 'line' | 'super' | 'sub';
  readonly pieces: string | readonly FormulaPiece[];
}

/** A letter of a formula with what is raised or lowered behind it: `A^O_i`, `Σ_{l=k}^{K_i−1}`. */
const SCRIPT = /[\^_](?:\{((?:[^{}]|\{[^{}]*\})*)\}|\(((?:[^()]|\([^()]*\))*)\)|([\p{L}\p{N}]+|[−+*]))/gu;

/**
 * A rule's formula as pieces to draw, its carets and underscores read as in its file: `_i` and `_{i,k}` are lowered, `^O`,
 * `^{l−k}` and `^(K − 1)` raised.
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
