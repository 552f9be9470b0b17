import type { Group, Turn } from '../../rollouts/forest.ts';
import { lastTurns, meanFact, meanOrNull, outcomesTie, type RolloutBatch, share } from '../../rollouts/rolloutBatch.ts';
import {
  advantageChart,
  type EnvironmentCharts,
  heldOutChart,
  RETAINED_CHART,
  rewardsChart,
  tiesChart,
} from '../chart.ts';
import type { EpisodeFact, GroupFact, UpdateFact } from '../fact.ts';

/** Largest absolute advantage that counts as 0. Float32 rewards minus their mean are rarely exactly 0. */
const ZERO = 1e-6;

const SOLVED: EpisodeFact = {
  name: 'solved',
  label: 'Solved',
  short: 'solved',
  format: 'share',
  help: 'Episodes that finish with all tests passing, hidden ones too.',
  ofEpisodes: ({ trajectories }) =>
    share(lastTurns(trajectories), ({ outcome = 0, facts }) => outcome > 0 && facts.finished > 0),
};

const TESTED: EpisodeFact = {
  name: 'tested',
  label: 'Tested before finish',
  short: 'tested',
  format: 'share',
  help: 'Episodes that run the tests after their last edit, and then finish.',
  ofEpisodes: ({ trajectories }) => meanFact(lastTurns(trajectories), 'tested'),
};

const OF_EPISODES: readonly EpisodeFact[] = [
  SOLVED,
  {
    name: 'steps',
    label: 'Steps',
    format: 'number',
    help: 'Actions an episode, mean.',
    ofEpisodes: ({ trajectories }) => meanOrNull(trajectories.map(({ turns }) => turns.length)),
  },
  {
    name: 'finished',
    label: 'Finished',
    short: 'finished',
    format: 'share',
    help: 'Episodes that end with finish.',
    ofEpisodes: ({ trajectories }) => meanFact(lastTurns(trajectories), 'finished'),
  },
  TESTED,
  {
    name: 'edited',
    label: 'Edited',
    format: 'share',
    help: 'Episodes that change a file.',
    ofEpisodes: ({ trajectories }) => meanFact(lastTurns(trajectories), 'edited'),
  },
  {
    name: 'invalid',
    label: 'Invalid actions',
    format: 'share',
    help: 'Actions that the repository could not carry out.',
    ofEpisodes: ({ trajectories }) => {
      const turns = trajectories.flatMap((trajectory) => trajectory.turns);
      return meanFact(turns, 'invalid');
    },
  },
];

const OF_GROUPS: readonly GroupFact[] = [
  {
    name: 'zeroAdvantage',
    label: 'Steps without credit',
    short: 'no credit',
    format: 'share',
    help: 'Steps whose advantage is 0, in groups with different outcomes.',
    ofGroups: (batch, advantages) =>
      share(advantagesOfMixedGroups(batch, advantages), (advantage) => Math.abs(advantage) <= ZERO),
  },
  {
    name: 'sharedStates',
    label: 'Shared states',
    short: 'shared',
    format: 'share',
    help: 'Steps in a state that two or more episodes of the group visited.',
    ofGroups: ({ groups }) => sharedStates(groups),
  },
  {
    name: 'uniform',
    label: 'Ties',
    short: 'outcome',
    format: 'share',
    help: 'Groups whose episodes all ended with the same outcome.',
    ofGroups: (batch) => share(batch.groups, (_, group) => outcomesTie(batch, group)),
  },
];

/** Facts that an update counts in this environment. */
export const REPO_FACTS: readonly UpdateFact[] = [...OF_EPISODES, ...OF_GROUPS];

/** Facts that are counted on held-out problems. */
export const REPO_HELD_OUT: readonly EpisodeFact[] = [SOLVED, TESTED];

/** Returns the advantages of the turns in groups with different outcomes. */
function advantagesOfMixedGroups(batch: RolloutBatch, advantages: Float32Array): number[] {
  const { groups, forest } = batch;
  return groups.flatMap((_, group) =>
    outcomesTie(batch, group) ? [] : [...advantages.subarray(forest.groupOffset[group], forest.groupOffset[group + 1])],
  );
}

/** Returns the share of turns in states that two or more trajectories of the group visited. */
function sharedStates(groups: readonly Group[]): number | null {
  const shared = groups.flatMap(({ turns }) => {
    const root = rootsOf(turns);
    const visitors = new Map<string, Set<number>>();
    turns.forEach(({ state = '' }, turn) => {
      visitors.set(state, (visitors.get(state) ?? new Set()).add(root[turn]));
    });
    return turns.map(({ state = '' }) => (visitors.get(state)?.size ?? 0) > 1);
  });
  return share(shared, (is) => is);
}

/** Returns the index of the first turn of each turn's trajectory, [turns]. */
function rootsOf(turns: readonly Turn[]): number[] {
  const roots: number[] = [];
  turns.forEach(({ parent }, turn) => {
    roots.push(parent < 0 ? turn : roots[parent]);
  });
  return roots;
}

/** Charts of repository runs. */
export const REPO_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Solved and tested',
    caption: 'Share of this update’s episodes that fixed every bug, tested the last edit, and finished',
    format: 'share',
    lines: [
      'fact:solved',
      'fact:tested',
      'fact:finished',
      // The chart shows held-out values together with training values.
      { key: 'heldOut:solved', label: 'Solved, held out', short: 'held out' },
    ],
  },
  small: [
    heldOutChart('solved', 'tested'),
    {
      id: 'episode',
      title: 'Length',
      caption: 'actions an episode, mean',
      format: 'number',
      least: 14,
      lines: ['fact:steps'],
    },
    { id: 'invalid', title: 'Invalid actions', caption: 'share of actions', format: 'share', lines: ['fact:invalid'] },
    {
      id: 'comparison',
      title: 'What steps are compared with',
      caption: 'share of steps',
      format: 'share',
      lines: ['fact:zeroAdvantage', 'fact:sharedStates'],
    },
    tiesChart('uniform', 'same outcome throughout, and by the rule’s own reward'),
    RETAINED_CHART,
    rewardsChart(),
    advantageChart(),
  ],
};
