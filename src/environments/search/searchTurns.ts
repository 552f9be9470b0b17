import type { Turn } from '../../rollouts/forest.ts';
import { hasFact } from '../../rollouts/rolloutBatch.ts';
import type { FirstTurnKinds } from '../attempt.ts';
import type { WatchedTurns } from '../watchedTurns.ts';

/** First turns by their results: executed searches, malformed calls and skipped searches. */
export const SEARCH_TURNS: WatchedTurns = {
  of: 'first turns',
  counted: 'rollouts',
  decided: 'searching',
  kinds: [
    {
      title: 'Executed searches',
      starts: true,
      cases: [
        {
          name: 'retrieved',
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
      ],
    },
    {
      title: 'Malformed calls',
      starts: true,
      meaning:
        'the agent started a search and broke the call. Without a reward for turn 1, a malformed call has no cost.',
      cases: [
        {
          name: 'malformed',
          label: 'the call was malformed',
          holds: ({ turn }) => hasFact(turn, 'attempted'),
        },
      ],
    },
    {
      title: 'Skipped searches',
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

/** Kinds of first turns by the tool call. */
export const SEARCH_FIRST_TURNS: FirstTurnKinds = {
  searched: ({ first }) => verb(first) === 'search',
  skipped: ({ first }) => verb(first) === 'skip',
  malformed: ({ first }) => verb(first) !== 'search' && verb(first) !== 'skip',
};
