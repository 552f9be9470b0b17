import { html, type TemplateResult } from 'lit';
import { type FormulaPiece, formulaPieces } from './formulaPieces.ts';

/** A rule's formula with its indices raised and lowered. */
export function formula(text: string): TemplateResult {
  return html`${formulaPieces(text).map(piece)}`;
}

function piece({ level, pieces }: FormulaPiece): TemplateResult {
  const inner = typeof pieces === 'string' ? pieces : pieces.map(piece);
  if (level === 'super') return html`<sup>${inner}</sup>`;
  return level === 'sub' ? html`<sub>${inner}</sub>` : html`${inner}`;
}
