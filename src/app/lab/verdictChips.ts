import { html, nothing } from 'lit';
import type { ExperimentResult } from '../../experiments/claims/claimResult.ts';
import { statusText } from '../../experiments/claims/verdictWords.ts';
import { labStrings } from '../strings/labStrings.ts';
import type { Verdict } from './labAddress.ts';

/** A verdict as it looks everywhere. @param count of the tests that have it @param word instead of the verdict */
export function verdictChip(verdict: Verdict, count = 1, word = labStrings.counted(verdict, count)) {
  const { sign, help } = labStrings.verdicts[verdict];
  return html`<span class="verdict ${verdict.replaceAll(' ', '-')}" title=${help}><span aria-hidden="true">${sign}</span>${word}</span>`;
}

/** The verdict on a test; none in the first edition. */
export function outcomeChip(outcome: ExperimentResult['outcomes'][number], edition: 1 | undefined) {
  return edition === 1 ? nothing : verdictChip(outcome.corrected.status, 1, statusText(outcome));
}
