import { mean } from '../../rollouts/counting.ts';
import type { EpisodeFact, UpdateFact } from '../fact.ts';
import { STATE_VALUE_FACTS } from '../shared/stateFacts.ts';

/** Mean over the episodes that report a fact of its sum over their turns; null if no episode reports it. */
const total =
  (name: string): EpisodeFact['ofEpisodes'] =>
  ({ trajectories }) =>
    mean(
      trajectories.flatMap(({ turns }) => {
        const values = turns.flatMap(({ facts }) => facts[name] ?? []);
        return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) : [];
      }),
    );

/** Facts that updates count here. */
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
    help: 'Episodes that take the key, then the right door, and are paid; in a decision process, those with the largest outcome.',
    ofEpisodes: total('solved'),
  },
  {
    name: 'return',
    label: 'Return',
    format: 'number',
    help: 'What an episode is paid, turn reward and outcome, mean.',
    ofEpisodes: total('return'),
  },
  {
    name: 'good',
    label: 'First action GOOD',
    format: 'share',
    help: 'Episodes whose first action is GOOD, in the worlds delayed and recovery.',
    ofEpisodes: total('good'),
  },
  {
    name: 'recovered',
    label: 'Recovers',
    format: 'share',
    help: 'Of the episodes with an error, those that repair it, in the world recovery.',
    ofEpisodes: total('recovered'),
  },
  {
    name: 'stop',
    label: 'Turn of the stop',
    format: 'number',
    help: 'Turn in which an episode stops, from 1, mean, in the world stopping.',
    ofEpisodes: total('stop'),
  },
  ...STATE_VALUE_FACTS,
];
