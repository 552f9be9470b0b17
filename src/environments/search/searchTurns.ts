import { hasFact } from '../../rollouts/counting.ts';
import type { Turn } from '../../rollouts/forest.ts';
import type { FirstTurnKinds } from '../attempt.ts';
import type { WatchedTurns } from '../watchedTurns.ts';

/** Whether turn 1 searches, and what comes of it. */
export const SEARCH_TURNS: WatchedTurns = {
  of: 'first turns',
  counted: 'rollouts',
  decided: true,
  kinds: [
    {
      title: 'Searching',
      cases: [
        {
          name: 'found',
          label: 'the document held the answer',
          holds: ({ turn }) => hasFact(turn, 'toolUse') && hasFact(turn, 'retrieval'),
        },
        {
          name: 'outdated',
          label: 'the document was out of date',
          holds: ({ turn }) => hasFact(turn, 'outdated'),
        },
        {
          name: 'missed',
          label: 'the document was of something else',
          holds: ({ turn }) => hasFact(turn, 'toolUse'),
        },
        {
          name: 'malformed',
          label: 'the call was malformed',
          holds: ({ turn }) => hasFact(turn, 'attempted'),
        },
      ],
    },
    {
      title: 'Answering from memory',
      cases: [
        {
          name: 'skippedRight',
          label: 'the answer was correct',
          holds: ({ turn, after }) => hasFact(after.at(-1) ?? turn, 'answer'),
        },
        { name: 'skippedWrong', label: 'the answer was incorrect', holds: () => true },
      ],
    },
  ],
};

const verb = ({ action = '' }: Turn) => action.split(' ')[0];

/** First turns by the tool call. */
export const SEARCH_FIRST_TURNS: FirstTurnKinds = {
  searched: ({ first }) => verb(first) === 'search',
  skipped: ({ first }) => verb(first) === 'skip',
  malformed: ({ first }) => verb(first) !== 'search' && verb(first) !== 'skip',
};
