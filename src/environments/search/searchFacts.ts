import type { Turn } from '../../rollouts/forest.ts';
import {
  hasFact,
  largestFact,
  meanOrNull,
  meanOverTurnsWithFact,
  outcomesTie,
  type RolloutTurn,
  share,
  type Trajectory,
} from '../../rollouts/rolloutBatch.ts';
import {
  ANSWER_PROBABILITY_CHART,
  advantageChart,
  type EnvironmentCharts,
  heldOutChart,
  rewardsChart,
  STATE_VALUE_CHART,
  tiedGroupsChart,
} from '../chart.ts';
import {
  ANSWER_PROBABILITY_FACTS,
  type EpisodeFact,
  type GroupFact,
  STATE_VALUE_FACTS,
  type UpdateFact,
} from '../fact.ts';
import type { FirstTurnKinds, WatchedTurns } from '../watchedTurns.ts';

const meanOf =
  (fact: string): EpisodeFact['ofEpisodes'] =>
  ({ trajectories }) =>
    meanOrNull(trajectories.map((trajectory) => largestFact(trajectory, fact)));

/** Counts that an update reports among its common metrics, which have rows in src/metrics. */
export const SEARCH_METRICS = {
  toolUse: meanOf('toolUse'),
  retrieval: meanOf('retrieval'),
  answer: meanOf('answer'),
  format: meanOf('format'),
  searches: meanOf('searches'),
} as const satisfies Readonly<Record<string, EpisodeFact['ofEpisodes']>>;

/** Share of rollouts in which a document contains the requested fact with an outdated value. */
const outdated: EpisodeFact['ofEpisodes'] = meanOf('outdated');

/** Returns the mean absolute advantage of first turns in groups whose outcomes tie. */
const creditInTies: GroupFact['ofGroups'] = (batch, advantages) => {
  const ties = batch.groups.map((_, group) => outcomesTie(batch, group));
  const firstTurns = batch.trajectories
    .filter(({ group }) => ties[group])
    .map(({ turns: [first] }: Trajectory) => first);
  return meanOrNull(firstTurns.map(({ forestTurn }) => Math.abs(advantages[forestTurn])));
};

/** Returns each turn of the trajectories once. */
const turnsOf = (trajectories: readonly Trajectory[]): RolloutTurn[] => [
  ...new Set(trajectories.flatMap(({ turns }) => turns)),
];

/** Smallest score of the judge that counts as a high score for a turn. */
const HIGH_REWARD = 0.9;

const ratePreferredFailures: EpisodeFact['ofEpisodes'] = ({ trajectories }) => {
  const scored = turnsOf(trajectories).filter(({ facts }) => facts.judgeReward !== undefined);
  const failed = scored.filter((turn) => !hasFact(turn, 'retrieval') && !hasFact(turn, 'outdated'));
  return share(failed, ({ facts }) => facts.judged >= HIGH_REWARD);
};

/**
 * Facts that an update counts in addition. Examples are outdated documents, correct answers despite them, and the
 * credit in groups with equal outcomes.
 */
export const SEARCH_FACTS: readonly UpdateFact[] = [
  {
    name: 'outdated',
    label: 'Outdated document',
    short: 'outdated',
    format: 'share',
    help: 'Rollouts that found a document with an outdated value.',
    ofEpisodes: outdated,
  },
  {
    name: 'against',
    label: 'Correct despite an outdated document',
    short: 'despite',
    format: 'share',
    help: 'Rollouts with the correct answer, of the rollouts with an outdated document. Empty if no document was outdated.',
    ofEpisodes: ({ trajectories }) => {
      const affected = trajectories.filter((trajectory) => largestFact(trajectory, 'outdated') === 1);
      return affected.length > 0 ? meanOrNull(affected.map((trajectory) => largestFact(trajectory, 'answer'))) : null;
    },
  },
  {
    name: 'hops',
    label: 'Facts found on the way',
    short: 'on the way',
    format: 'number',
    help: 'Facts per rollout on the way to the answer that documents held, in their order. Empty if questions are about one fact.',
    ofEpisodes: ({ trajectories }) =>
      trajectories.some(({ turns }) => turns.some((turn) => 'hops' in turn.facts))
        ? meanOrNull(trajectories.map((trajectory) => largestFact(trajectory, 'hops')))
        : null,
  },
  {
    name: 'rollouts',
    label: 'Rollouts per question',
    short: 'rollouts',
    format: 'number',
    help: 'Rollouts of a question, mean over the groups of the update: if turns branch, the paths from a first turn to a last turn.',
    ofGroups: ({ trajectories, groups }) => trajectories.length / groups.length,
  },
  {
    name: 'tied',
    label: 'Outcomes tie',
    short: 'tie',
    format: 'share',
    help: 'Groups whose rollouts all ended with the same outcome, which does not distinguish their turns.',
    ofGroups: (batch) => share(batch.groups, (_, group) => outcomesTie(batch, group)),
  },
  {
    name: 'creditInTies',
    label: 'Credit of turn 1 in ties',
    short: 'credit in ties',
    format: 'number',
    help: 'Mean size of the advantage of first turns in groups whose outcomes tie: the signal that the rule has there. Empty if no group tied.',
    ofGroups: creditInTies,
  },
  {
    name: 'judgeReward',
    label: 'Judge reward',
    short: 'judge',
    format: 'number',
    help: 'Mean reward of the judge for turns before the last. Empty if it rewards none.',
    ofEpisodes: ({ trajectories }) => meanOverTurnsWithFact(turnsOf(trajectories), 'judgeReward'),
  },
  {
    name: 'ruleReward',
    label: 'Rule-based reward',
    short: 'rules',
    format: 'number',
    help: 'Mean rule-based reward of the turns that the judge rewards.',
    ofEpisodes: ({ trajectories }) => meanOverTurnsWithFact(turnsOf(trajectories), 'ruleReward'),
  },
  {
    name: 'highScoreFailures',
    label: 'Failures with a high judge score',
    short: 'overrated failures',
    format: 'share',
    help: 'Turns with a judge score of at least 0.9, of the turns without a document about the question.',
    ofEpisodes: ratePreferredFailures,
  },
  ...ANSWER_PROBABILITY_FACTS,
  ...STATE_VALUE_FACTS,
];

/** Facts that are counted on held-out questions. */
export const SEARCH_HELD_OUT: readonly EpisodeFact[] = [
  {
    name: 'answer',
    label: 'Correct answer',
    short: 'answer',
    format: 'share',
    help: 'Episodes with the correct answer.',
    ofEpisodes: SEARCH_METRICS.answer,
  },
  {
    name: 'toolUse',
    label: 'Tool use',
    short: 'tool use',
    format: 'share',
    help: 'Episodes with an executed search.',
    ofEpisodes: SEARCH_METRICS.toolUse,
  },
];

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

/** Charts of search runs. */
export const SEARCH_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Tool use and accuracy',
    caption:
      'Share of this update’s rollouts with an executed search, and with the correct answer; and of correct answers to held-out questions',
    format: 'share',
    lines: [
      'toolUse',
      { key: 'answer', label: 'Training accuracy', short: 'training' },
      { key: 'heldOut:answer', label: 'Held-out accuracy', short: 'held-out' },
    ],
  },
  small: [
    {
      id: 'judge',
      title: 'Judge and rules',
      caption: 'mean reward of turns before the last',
      format: 'number',
      lines: ['fact:judgeReward', 'fact:ruleReward', 'fact:highScoreFailures'],
      since: 'fact:judgeReward',
    },
    ANSWER_PROBABILITY_CHART,
    STATE_VALUE_CHART,
    {
      id: 'calls',
      title: 'First turns',
      caption: 'what each attempt does first; the three add up to 100 %',
      format: 'share',
      lines: [
        { key: 'turns:retrieved+outdated+missed', label: 'Executed search', short: 'executed' },
        { key: 'turns:malformed', label: 'Malformed call', short: 'malformed' },
        { key: 'turns:skippedRight+skippedWrong', label: 'Search skipped', short: 'skipped' },
      ],
    },
    {
      id: 'format',
      title: 'Retrieval and format',
      caption: 'documents that hold the answer; well-formed calls and answers',
      format: 'share',
      lines: [
        'retrieval',
        {
          key: 'turns:retrieved+outdated+missed/retrieved+outdated+missed+malformed',
          label: 'Well-formed of all calls',
          short: 'calls',
        },
        { key: 'format', label: 'Well-formed of all answers', short: 'answers' },
      ],
    },
    {
      id: 'documents',
      title: 'Retrieved documents',
      caption: 'share outdated; correct despite an outdated document',
      format: 'share',
      lines: ['fact:outdated', 'fact:against'],
      when: ({ stale }) => Number(stale) > 0,
    },
    rewardsChart(),
    {
      id: 'search',
      title: 'P(search)',
      caption: 'probability of starting a search, in a correct or a malformed call',
      format: 'share',
      lines: ['searchProbability'],
    },
    heldOutChart('answer', 'toolUse'),
    tiedGroupsChart('degenerateBest', 'degenerateWorst'),
    advantageChart(),
    {
      id: 'rollouts',
      title: 'Cost of branching',
      caption: 'rollouts of one question, mean',
      format: 'number',
      least: 1,
      lines: ['fact:rollouts'],
      rules: ['mt-grpo-exact'],
    },
    {
      id: 'searches',
      title: 'Searches',
      caption: 'a rollout, mean',
      format: 'number',
      least: 1,
      lines: ['searches'],
      when: ({ maxTurns }) => Number(maxTurns) > 2,
    },
  ],
};
