import { svg } from 'lit';
import type { Verdict } from './points.ts';

/** The mark of a turn: what a rule says of it is told by shape and colour. */
export function mark(verdict: Verdict, x: number, y: number) {
  if (verdict === 'right') return svg`<circle class="right" cx=${x} cy=${y} r="4"></circle>`;
  if (verdict === 'wrong') return svg`<path class="wrong" d="M${x - 4},${y - 4}l8,8M${x - 4},${y + 4}l8,-8"></path>`;
  if (verdict === 'silent') return svg`<rect class="silent" x=${x - 3.5} y=${y - 3.5} width="7" height="7"></rect>`;
  return svg`<circle class="unclear" cx=${x} cy=${y} r="2.5"></circle>`;
}
