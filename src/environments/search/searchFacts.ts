import { largestFact, mean } from '../../rollouts/counting.ts';
import type { EpisodeFact } from '../fact.ts';

const meanOf =
  (fact: string): EpisodeFact['ofEpisodes'] =>
  ({ trajectories }) =>
    mean(trajectories.map((trajectory) => largestFact(trajectory, fact)));

/** What updates count here. These stand beside the metrics of every update (src/metrics), where their rows are. */
export const SEARCH_METRICS = {
  toolUse: meanOf('toolUse'),
  retrieval: meanOf('retrieval'),
  answer: meanOf('answer'),
  format: meanOf('format'),
  searches: meanOf('searches'),
} as const satisfies Readonly<Record<string, EpisodeFact['ofEpisodes']>>;

/** Whether a document gave the fact that was asked for with a value that is no longer right. */
const outdated: EpisodeFact['ofEpisodes'] = meanOf('outdated');

/** What updates count besides: whether documents are out of date, and whether they are believed then. */
export const SEARCH_FACTS: readonly EpisodeFact[] = [
  {
    name: 'outdated',
    label: 'Document out of date',
    short: 'out of date',
    format: 'share',
    help: 'Rollouts that found a document whose value is no longer right.',
    ofEpisodes: outdated,
  },
  {
    name: 'against',
    label: 'Right against the document',
    short: 'right against it',
    format: 'share',
    help: 'Of the rollouts whose document was out of date, those that answered right: they did not believe it. Empty where there were none.',
    ofEpisodes: ({ trajectories }) => {
      const told = trajectories.filter((trajectory) => largestFact(trajectory, 'outdated') === 1);
      return told.length > 0 ? mean(told.map((trajectory) => largestFact(trajectory, 'answer'))) : null;
    },
  },
];

/** What is counted on held-out questions. */
export const SEARCH_HELD_OUT: readonly EpisodeFact[] = [
  {
    name: 'answer',
    label: 'Right answer',
    short: 'answer',
    format: 'share',
    help: 'Episodes that answer right.',
    ofEpisodes: SEARCH_METRICS.answer,
  },
  {
    name: 'toolUse',
    label: 'Tool use',
    short: 'tool use',
    format: 'share',
    help: 'Episodes that call the tool.',
    ofEpisodes: SEARCH_METRICS.toolUse,
  },
];
