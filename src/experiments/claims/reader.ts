import type { ClaimResult } from './claimResult.ts';
import { primaryOutcome } from './conclusionText.ts';

// One conclusion per claim: the conclusion of the primary test, after all corrections and with all seeds.

/** Conclusions of a claim, with their meanings. */
export const READER_CONCLUSIONS = {
  reproduced: 'The primary test holds, and no other test of the claim ends against it.',
  'in part': 'The primary test holds, and another test of the claim ends against it.',
  contradicted: 'The primary test ends without the claimed effect, or with its reverse.',
  inconclusive: 'All seeds are there, and the primary test is open.',
} as const;

/** States of claims without a conclusion. */
export const NO_CONCLUSION_STATES = {
  running: 'Some seeds are missing, so the claim is open.',
  'not run': 'No seed of the primary test was run yet.',
  complete: 'A question of the project, with all its seeds: each test has a conclusion.',
} as const;

export type ReaderState = keyof typeof READER_CONCLUSIONS | keyof typeof NO_CONCLUSION_STATES;
/** States in the order in which they are listed. A paper's claim never has the state `complete`. */
export const READER_STATES = [...Object.keys(READER_CONCLUSIONS), 'running', 'not run'] as readonly ReaderState[];

/** Restrictions of all conclusions. */
export const READER_NOTE =
  'A claim without all its seeds has no conclusion. Conclusions are corrected for all claims of the paper. Policies have about 100,000 parameters and tasks are synthetic, so no conclusion is about models of billions.';

/** Returns the state of a claim. A claim without all its seeds has no conclusion, regardless of an interim analysis. */
export function readerState({ id, seeds, experiments }: ClaimResult): ReaderState {
  if (seeds.there === 0) return 'not run';
  if (seeds.there < seeds.of) return 'running';
  if (id.startsWith('own-')) return 'complete';
  const primary = primaryOutcome({ experiments });
  if (!primary || primary.corrected.status === 'open') return 'inconclusive';
  if (primary.corrected.status !== 'holds') return 'contradicted';
  const against = experiments.some(({ outcomes }) =>
    outcomes.some(({ corrected: { status } }) => status === 'no such gain' || status === 'reverse'),
  );
  return against ? 'in part' : 'reproduced';
}

/** Formats the state with the restriction of the primary test: "reproduced", "open, 12 of 20 seeds", "not run yet". */
export function stateText(result: ClaimResult): string {
  const state = readerState(result);
  if (state === 'not run') return 'not run yet';
  if (state === 'running') return `open, ${result.seeds.there} of ${result.seeds.of} seeds`;
  if (state === 'complete') return 'all seeds';
  return primaryOutcome(result)?.test.unequal ? `${state}, not like for like` : state;
}

/** Returns a sentence about all claims of papers. @param states [claims] */
export function readerSentence(states: readonly ReaderState[]): string {
  const count = (state: ReaderState) => states.filter((each) => each === state).length;
  const conclusions = (Object.keys(READER_CONCLUSIONS) as ReaderState[]).flatMap((state) => {
    const text = state === 'in part' ? 'reproduced in part' : state;
    return count(state) > 0 ? [`${count(state)} ${count(state) > 1 ? 'are' : 'is'} ${text}`] : [];
  });
  const [running, missing] = [count('running'), count('not run')];
  const parts = [
    ...(conclusions.length > 0 ? conclusions : ['none has a conclusion yet']),
    ...(running > 0 ? [`${running} ${running > 1 ? 'have' : 'has'} a part of the seeds`] : []),
    ...(missing > 0 ? [`${missing} ${missing > 1 ? 'are' : 'is'} not run yet`] : []),
  ];
  return `Of ${states.length} claims of four papers, ${parts.join(', ').replace(/, ([^,]*)$/, ' and $1')}.`;
}
