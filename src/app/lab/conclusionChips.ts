import { html } from 'lit';
import type { ExperimentResult } from '../../experiments/claims/claimResult.ts';
import { type ReaderState, statusText } from '../../experiments/claims/conclusionText.ts';
import { STATUSES, type Status } from '../../experiments/claims/judge.ts';
import { labStrings } from '../strings/labStrings.ts';

/** Renders a conclusion as a sign and a text. @param text displayed text; by default the conclusion */
export function conclusionChip(conclusion: Status | ReaderState, text: string = conclusion) {
  const { sign, help } = labStrings.results[conclusion];
  return html`<span class="conclusion ${conclusion.replaceAll(' ', '-')}" title=${help}><span aria-hidden="true">${sign}</span>${text}</span>`;
}

/** Renders the conclusion of a test. */
export function outcomeChip(outcome: ExperimentResult['outcomes'][number]) {
  return conclusionChip(outcome.corrected.status, statusText(outcome));
}

/** Renders the number of tests of an experiment by status, for the statuses that occur. */
export function countedChips(statuses: readonly Status[]) {
  if (statuses.length === 0) return [conclusionChip('not run', labStrings.states['not run'])];
  return STATUSES.flatMap((status) => {
    const count = statuses.filter((each) => each === status).length;
    return count > 0 ? [conclusionChip(status, count > 1 ? `${status} ${count}` : status)] : [];
  });
}
