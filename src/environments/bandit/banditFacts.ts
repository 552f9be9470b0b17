import { mean } from '../../rollouts/counting.ts';
import type { EpisodeFact, UpdateFact } from '../fact.ts';
import { WORTH_FACTS } from '../shared/stateFacts.ts';

/** The mean over episodes of what their turns report under a name, summed. */
const total =
  (name: string): EpisodeFact['ofEpisodes'] =>
  ({ trajectories }) =>
    mean(trajectories.map(({ turns }) => turns.reduce((sum, { facts }) => sum + (facts[name] ?? 0), 0)));

/** What updates count here. */
export const BANDIT_FACTS: readonly UpdateFact[] = [
  {
    name: 'key',
    label: 'Takes the key',
    format: 'share',
    help: 'Episodes whose first action makes the prize possible.',
    ofEpisodes: total('key'),
  },
  {
    name: 'bait',
    label: 'Takes the bait',
    format: 'share',
    help: 'Episodes whose first action is paid at once and spoils the prize.',
    ofEpisodes: total('bait'),
  },
  {
    name: 'right',
    label: 'Right door',
    format: 'share',
    help: 'Episodes whose second action is the right one, whatever the first was.',
    ofEpisodes: total('right'),
  },
  {
    name: 'solved',
    label: 'Prize',
    format: 'share',
    help: 'Episodes that take the key, then the right door, and are paid.',
    ofEpisodes: total('solved'),
  },
  {
    name: 'return',
    label: 'Return',
    format: 'number',
    help: 'What an episode is paid, turn reward and outcome, mean.',
    ofEpisodes: total('return'),
  },
  ...WORTH_FACTS,
];
