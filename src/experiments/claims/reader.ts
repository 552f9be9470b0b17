import type { ClaimResult } from './claimResult.ts';
import { primaryOutcome } from './conclusionText.ts';

// One verdict a claim, for readers who skip the tests: that of the primary test, after all corrections and with all seeds.

/** Verdicts on a claim, and what its tests then are. */
export const READER_CONCLUSIONS = {
  reproduced: 'The primary test holds, and no other test of the claim ends against it.',
  'in part': 'The primary test holds, and another test of the claim ends against it.',
  contradicted: 'The primary test ends without the claimed effect, or with its reverse.',
  inconclusive: 'All seeds are there, and the primary test is open.',
} as const;

/** Claims without a verdict. */
export const NO_CONCLUSION_STATES = {
  running: 'Some seeds are missing, so the claim is open.',
  'not run': 'No seed of the primary test was run yet.',
  complete: 'A question of the project, with all its seeds: each test has a verdict.',
} as const;

export type ReaderState = keyof typeof READER_CONCLUSIONS | keyof typeof NO_CONCLUSION_STATES;
/** In the order in which they are listed; `complete` is no state of a paper's claim. */
export const READER_STATES = [...Object.keys(READER_CONCLUSIONS), 'running', 'not run'] as readonly ReaderState[];

/** Restrictions of all verdicts. */
export const READER_NOTE =
  'A claim without all its seeds has no verdict. Verdicts are corrected for all claims of the paper. Policies have about 100,000 parameters and tasks are synthetic, so no verdict is about models of billions.';

/** The state of a claim. A claim without all its seeds has no verdict, whatever an interim analysis says. */
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

/** "reproduced", "open, 12 of 20 seeds", "not run yet"; with the restriction of the primary test. */
export function stateText(result: ClaimResult): string {
  const state = readerState(result);
  if (state === 'not run') return 'not run yet';
  if (state === 'running') return `open, ${result.seeds.there} of ${result.seeds.of} seeds`;
  if (state === 'complete') return 'all seeds';
  return primaryOutcome(result)?.test.unequal ? `${state}, not like for like` : state;
}

/** One sentence for all claims of papers. @param states one a claim */
export function readerSentence(states: readonly ReaderState[]): string {
  const count = (state: ReaderState) => states.filter((each) => each === state).length;
  const conclusions = (Object.keys(READER_CONCLUSIONS) as ReaderState[]).flatMap((state) => {
    const text = state === 'in part' ? 'reproduced in part' : state;
    return count(state) > 0 ? [`${count(state)} ${count(state) > 1 ? 'are' : 'is'} ${text}`] : [];
  });
  const [running, missing] = [count('running'), count('not run')];
  const parts = [
    ...(conclusions.length > 0 ? conclusions : ['none has a verdict yet']),
    ...(running > 0 ? [`${running} ${running > 1 ? 'have' : 'has'} a part of the seeds`] : []),
    ...(missing > 0 ? [`${missing} ${missing > 1 ? 'are' : 'is'} not run yet`] : []),
  ];
  return `Of ${states.length} claims of four papers, ${parts.join(', ').replace(/, ([^,]*)$/, ' and $1')}.`;
}
