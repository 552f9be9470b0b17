import { html } from 'lit';
import { labStrings } from '../strings/labStrings.ts';
import type { Verdict } from './labAddress.ts';

/** A verdict as it looks everywhere. @param count of the tests that have it */
export function verdictChip(verdict: Verdict, count = 1) {
  const { sign, help } = labStrings.verdicts[verdict];
  return html`<span class="verdict ${verdict.replaceAll(' ', '-')}" title=${help}><span aria-hidden="true">${sign}</span>${labStrings.counted(verdict, count)}</span>`;
}
