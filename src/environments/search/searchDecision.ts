import { hasFact } from '../../rollouts/counting.ts';
import type { WatchedDecision } from '../decision.ts';

/** Whether turn 1 searches, and what comes of it. */
export const SEARCH_DECISION: WatchedDecision = {
  taken: 'Searching',
  left: 'Answering without a search',
  cases: [
    {
      name: 'found',
      label: 'the document held the answer',
      taken: true,
      holds: ([first]) => hasFact(first, 'toolUse') && hasFact(first, 'retrieval'),
    },
    {
      name: 'outdated',
      label: 'the document was out of date',
      taken: true,
      holds: ([first]) => hasFact(first, 'outdated'),
    },
    {
      name: 'missed',
      label: 'the document was of something else',
      taken: true,
      holds: ([first]) => hasFact(first, 'toolUse'),
    },
    {
      name: 'malformed',
      label: 'the call was malformed',
      taken: true,
      holds: ([first]) => hasFact(first, 'attempted'),
    },
    {
      name: 'skippedRight',
      label: 'the answer was right all the same',
      taken: false,
      holds: (turns) => hasFact(turns.at(-1), 'answer'),
    },
    { name: 'skippedWrong', label: 'the answer was wrong', taken: false, holds: () => true },
  ],
};
