import { mean } from '../../rollouts/rolloutBatch.ts';
import type { EpisodeFact, UpdateFact } from '../fact.ts';
import { STATE_VALUE_FACTS } from '../shared/stateFacts.ts';

/**
 * Creates a function that sums a fact over the turns of an episode and averages over episodes. Episodes without the
 * fact do not count. It returns null if no episode reports the fact.
 */
const total =
  (name: string): EpisodeFact['ofEpisodes'] =>
  ({ trajectories }) =>
    mean(
      trajectories.flatMap(({ turns }) => {
        const values = turns.flatMap(({ facts }) => facts[name] ?? []);
        return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) : [];
      }),
    );

/** Facts that an update counts in this environment. */
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
    help: 'Episodes whose first action has an immediate reward and spoils the prize.',
    ofEpisodes: total('bait'),
  },
  {
    name: 'right',
    label: 'Right door',
    format: 'share',
    help: 'Episodes whose second action is right, regardless of the first.',
    ofEpisodes: total('right'),
  },
  {
    name: 'solved',
    label: 'Prize',
    format: 'share',
    help: 'Episodes that take the key, then the right door, and get the prize; in a decision process, episodes with the largest outcome.',
    ofEpisodes: total('solved'),
  },
  {
    name: 'return',
    label: 'Return',
    format: 'number',
    help: 'Mean sum of turn reward and outcome of an episode.',
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
    help: 'Episodes that repair an error, of the episodes with an error, in the world recovery.',
    ofEpisodes: total('recovered'),
  },
  {
    name: 'stop',
    label: 'Turn of the stop',
    format: 'number',
    help: 'Mean turn in which an episode stops, from 1, in the world stopping.',
    ofEpisodes: total('stop'),
  },
  ...STATE_VALUE_FACTS,
];
