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
