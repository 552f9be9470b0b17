import type { Group } from '../../rollouts/forest.ts';
import {
  hasEqualValues,
  hasFact,
  meanFact,
  meanOverTurnsWithFact,
  type RolloutTurn,
  share,
  type Trajectory,
} from '../../rollouts/rolloutBatch.ts';
import {
  advantageChart,
  type EnvironmentCharts,
  heldOutChart,
  RETAINED_CHART,
  rewardsChart,
  tiesChart,
} from '../chart.ts';
import type { EpisodeFact, IntermediateValues, UpdateFact } from '../fact.ts';

/** Facts that an update counts in this environment. */
export const REPAIR_FACTS: readonly UpdateFact[] = [
  {
    name: 'pass1',
    label: 'Solved at once',
    short: 'at once',
    format: 'share',
    help: 'First programs that pass all tests.',
    ofEpisodes: ({ trajectories }) => meanFact(programs(trajectories, 0), 'solved'),
  },
  {
    name: 'pass2',
    label: 'Solved at the second try',
    short: '2nd try',
    format: 'share',
    help: 'Second programs that pass all tests, of those that were written.',
    ofEpisodes: ({ trajectories }) => meanFact(programs(trajectories, 1), 'solved'),
  },
  {
    name: 'solved',
    label: 'Solved',
    short: 'solved',
    format: 'share',
    help: 'Rollouts whose last program passes all tests.',
    ofEpisodes: ({ trajectories }) => share(trajectories, endsSolved),
  },
  {
    name: 'repaired',
    label: 'Repaired',
    short: 'repaired',
    format: 'share',
    help: 'Failed first programs that a later program of the same rollout repairs.',
    ofEpisodes: ({ trajectories }) => repaired(trajectories),
  },
  {
    name: 'passRate',
    label: 'Tests passed',
    short: 'passed',
    format: 'share',
    help: 'Tests that first programs pass.',
    ofEpisodes: ({ trajectories }) => meanFact(programs(trajectories, 0), 'passRate'),
  },
  {
    name: 'partial',
    label: 'Partly right',
    short: 'partly',
    format: 'share',
    help: 'First programs that pass some tests but not all.',
    ofEpisodes: ({ trajectories }) => meanFact(programs(trajectories, 0), 'partial'),
  },
  {
    name: 'syntaxErrors',
    label: 'Syntax errors',
    short: 'syntax',
    format: 'share',
    help: 'Programs that are not Python, or do not end.',
    ofEpisodes: ({ trajectories }) =>
      share(programs(trajectories), (turn) => hasFact(turn, 'syntaxError') || hasFact(turn, 'unfinished')),
  },
  {
    name: 'passedOfAll',
    label: 'Tests passed, of all programs',
    short: 'passed',
    format: 'share',
    help: 'Tests that programs pass, both first and later programs.',
    ofEpisodes: ({ trajectories }) => meanFact(programs(trajectories), 'passRate'),
  },
  {
    name: 'modelReward',
    label: 'Reward of the model',
    short: 'model',
    format: 'share',
    help: 'Reward of the model for first and later programs; empty if the model gives no rewards.',
    ofEpisodes: ({ trajectories }) => meanOverTurnsWithFact(programs(trajectories), 'modelReward'),
  },
  {
    name: 'highScoreFailures',
    label: 'Failures with a high reward',
    short: 'overrated failures',
    format: 'share',
    help: 'Programs with a reward of the model of at least 0.9, of the programs that fail a test; empty if the model gives no rewards.',
    ofEpisodes: ({ trajectories }) => ratePreferredFailures(programs(trajectories)),
  },
  {
    name: 'testsAgree',
    label: 'Correct written tests',
    short: 'right',
    format: 'share',
    help: 'Tests that the policy wrote and the right program passes, of all tests that it wrote; empty if it writes none.',
    ofEpisodes: ({ trajectories }) => meanOverTurnsWithFact(turnsOnce(trajectories), 'testsAgree'),
  },
  {
    name: 'caught',
    label: 'Wrong programs caught',
    short: 'caught',
    format: 'share',
    help: 'Wrong programs that fail a correct test of the policy, of the wrong programs for which it wrote tests.',
    ofEpisodes: ({ trajectories }) => meanOverTurnsWithFact(turnsOnce(trajectories), 'caught'),
  },
  {
    name: 'testsDistinct',
    label: 'Different written tests',
    short: 'different',
    format: 'number',
    help: 'Different tests of a verification, three at most; a repeated test counts once.',
    ofEpisodes: ({ trajectories }) => meanOverTurnsWithFact(turnsOnce(trajectories), 'testsDistinct'),
  },
  {
    name: 'degenerate01',
    label: 'Ties under 0 or 1',
    short: '0 or 1',
    format: 'share',
    help: 'Groups whose rollouts were all solved, or all not.',
    ofGroups: ({ groups, trajectories }) =>
      share(groups, (_, group) => hasEqualValues(trajectories, group, endsSolved)),
  },
  {
    name: 'rareTests',
    label: 'Rarely passed tests',
    short: 'of the tests',
    format: 'share',
    help:
      'Tests that fewer than half of a group’s programs pass, of all tests; mean over groups that have tests of both kinds. ' +
      'Empty under rules that do not weigh tests.',
    ofGroups: ({ groups }, _, describe) => meanOfGroups(groups.map((__, group) => weighed(describe(group))?.tests)),
  },
  {
    name: 'rareWeight',
    label: 'Weight of rarely passed tests',
    short: 'of the weight',
    format: 'share',
    help:
      'Share of these tests in the weights of all tests of a group; mean over the same groups. If it is above the share of the ' +
      'tests, a rarely passed test counts more than another test.',
    ofGroups: ({ groups }, _, describe) => meanOfGroups(groups.map((__, group) => weighed(describe(group))?.weight)),
  },
  {
    name: 'continuationsLeast',
    label: 'Fewest continuations of a failure',
    short: 'least',
    format: 'number',
    help: 'Next attempts of the failed program with the fewest, of failed programs with any. Empty if all have the same number.',
    ofGroups: ({ groups }) => findRange(groups)?.least ?? null,
  },
  {
    name: 'continuationsMaximum',
    label: 'Most continuations of a failure',
    short: 'most',
    format: 'number',
    help: 'Next attempts of the failed program with the most. Empty if all have the same number.',
    ofGroups: ({ groups }) => findRange(groups)?.maximum ?? null,
  },
];

/**
 * Returns the smallest and the largest number of continuations of a continued program; undefined if all numbers are
 * equal.
 */
function findRange(groups: readonly Group[]) {
  const counts = groups.flatMap(({ turns }) => {
    const childCounts = new Map<number, number>();
    for (const { parent } of turns) if (parent >= 0) childCounts.set(parent, (childCounts.get(parent) ?? 0) + 1);
    return [...childCounts.values()];
  });
  const [least, maximum] = [Math.min(...counts), Math.max(...counts)];
  return counts.length > 0 && least < maximum ? { least, maximum } : undefined;
}

/** Share of programs that pass a test, below which the test is rare. */
const RARE = 0.5;

/**
 * Returns the share of rare tests in a group, and their share of the weights. Returns undefined if the rule does not
 * weight tests, or if all tests or no tests are rare.
 */
function weighed({ passRate, weights }: IntermediateValues) {
  if (!passRate || !weights) return undefined;
  const rare = [...passRate.keys()].filter((test) => passRate[test] < RARE);
  if (rare.length === 0 || rare.length === passRate.length) return undefined;
  const sum = (tests: Iterable<number>) => [...tests].reduce((all, test) => all + weights[test], 0);
  return { tests: rare.length / passRate.length, weight: sum(rare) / sum(weights.keys()) };
}

function meanOfGroups(shares: readonly (number | undefined)[]): number | null {
  const known = shares.filter((value) => value !== undefined);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Number of attempts of a held-out episode, regardless of the setting in training. */
export const HELD_OUT_ATTEMPTS = 2;

/** Facts that are counted on held-out problems: Iter-k, as in Murphy (evaluation.ts). */
export const REPAIR_HELD_OUT: readonly EpisodeFact[] = [
  {
    name: 'iter1',
    label: 'Iter-1',
    short: 'Iter-1',
    format: 'share',
    help: 'Episodes whose first program passes the hidden tests.',
    ofEpisodes: ({ trajectories }) => share(trajectories, ({ turns }) => hasFact(turns[0], 'hidden')),
  },
  {
    name: 'iter2',
    label: 'Iter-2',
    short: 'Iter-2',
    format: 'share',
    help: 'Episodes whose last program, the second at most, passes the hidden tests.',
    ofEpisodes: ({ trajectories }) =>
      share(trajectories, (trajectory) => hasFact(programsOf(trajectory).at(-1), 'hidden')),
  },
  {
    name: 'repaired',
    label: 'Repaired',
    short: 'repaired',
    format: 'share',
    help: 'Episodes whose first program fails the hidden tests and whose last one passes them, of the episodes whose first one fails.',
    ofEpisodes: ({ trajectories }) => {
      const failed = trajectories.filter(({ turns }) => !hasFact(turns[0], 'hidden'));
      return share(failed, (trajectory) => hasFact(programsOf(trajectory).at(-1), 'hidden'));
    },
  },
];

/** Returns the turns of a trajectory that are programs. These are all turns if no tests are written. */
function programsOf({ turns }: Trajectory): readonly RolloutTurn[] {
  return turns.filter(({ facts }) => facts.testsWritten === undefined);
}

/** Returns the programs of trajectories, each once: all programs, or the programs at one position. */
function programs(trajectories: readonly Trajectory[], position?: number): RolloutTurn[] {
  const at = (trajectory: Trajectory) => {
    const all = programsOf(trajectory);
    return position === undefined ? all : all.slice(position, position + 1);
  };
  return [...new Set(trajectories.flatMap(at))];
}

/** Returns all turns of trajectories, each once. */
function turnsOnce(trajectories: readonly Trajectory[]): RolloutTurn[] {
  return [...new Set(trajectories.flatMap(({ turns }) => turns))];
}

function endsSolved(trajectory: Trajectory): boolean {
  return hasFact(programsOf(trajectory).at(-1), 'solved');
}

/** Returns the share of failed first programs with later programs that one of these repairs. */
function repaired(trajectories: readonly Trajectory[]): number | null {
  const failed = trajectories.filter(({ turns }) => !hasFact(turns[0], 'solved'));
  const good = new Set(failed.filter(endsSolved).map(({ turns }) => turns[0]));
  const again = (trajectory: Trajectory) => programsOf(trajectory).length > 1;
  const attempted = new Set(failed.filter(again).map(({ turns }) => turns[0]));
  return attempted.size === 0 ? null : good.size / attempted.size;
}

/** Smallest reward of the model that counts as a high score for a program. */
const HIGH_REWARD = 0.9;

function ratePreferredFailures(all: readonly RolloutTurn[]): number | null {
  const failed = all.filter((turn) => turn.facts.modelReward !== undefined && !hasFact(turn, 'solved'));
  return share(failed, ({ facts }) => facts.modelReward >= HIGH_REWARD);
}

/** Charts of repair runs. */
export const REPAIR_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Correct and repaired programs',
    caption:
      'Share of first programs that pass all tests, of rollouts that end solved, and of failures that a later program repairs',
    format: 'share',
    lines: ['fact:pass1', 'fact:solved', 'fact:repaired'],
  },
  small: [
    {
      id: 'model',
      title: 'Model and tests',
      caption: 'reward of the model for all programs, and share of tests that they pass',
      format: 'share',
      lines: ['fact:passedOfAll', 'fact:modelReward', 'fact:highScoreFailures'],
      since: 'fact:modelReward',
    },
    {
      id: 'written',
      title: 'Written tests',
      caption: 'tests that the policy wrote and the right program passes, and wrong programs that such a test catches',
      format: 'share',
      lines: ['fact:testsAgree', 'fact:caught'],
      since: 'fact:testsAgree',
    },
    heldOutChart('iter1', 'iter2'),
    tiesChart('degenerate01', 'if only right or wrong counted, and by the rule’s own reward'),
    RETAINED_CHART,
    {
      id: 'turns',
      title: 'Programs per update',
      caption: 'cost of trees: first programs and refinements',
      format: 'number',
      least: 1,
      lines: ['turns'],
      rules: ['murphy-mars', 'murphy-mers', 'tree-grpo'],
    },
    {
      id: 'tests',
      title: 'Tests',
      caption: 'of first programs; syntax errors of all',
      format: 'share',
      lines: ['fact:passRate', 'fact:partial', 'fact:syntaxErrors'],
    },
    {
      id: 'weights',
      title: 'Rarely passed tests',
      caption: 'their share of the tests and of the weight: rarely passed tests count more',
      format: 'share',
      lines: ['fact:rareTests', 'fact:rareWeight'],
      since: 'fact:rareWeight',
    },
    {
      id: 'continuations',
      title: 'Continuations per failure',
      caption: 'minimum and maximum number of next attempts of a failed program',
      format: 'number',
      lines: ['fact:continuationsLeast', 'fact:continuationsMaximum'],
      since: 'fact:continuationsMaximum',
    },
    rewardsChart(),
    advantageChart(),
  ],
};
