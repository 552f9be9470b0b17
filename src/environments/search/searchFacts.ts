import {
  hasFact,
  largestFact,
  mean,
  meanOverTurnsWithFact,
  outcomesTie,
  type RolloutTurn,
  share,
  type Trajectory,
} from '../../rollouts/rolloutBatch.ts';
import type { EpisodeFact, GroupFact, UpdateFact } from '../fact.ts';
import { ANSWER_PROBABILITY_FACTS, STATE_VALUE_FACTS } from '../shared/stateFacts.ts';

const meanOf =
  (fact: string): EpisodeFact['ofEpisodes'] =>
  ({ trajectories }) =>
    mean(trajectories.map((trajectory) => largestFact(trajectory, fact)));

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
  return mean(firstTurns.map(({ forestTurn }) => Math.abs(advantages[forestTurn])));
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
      return affected.length > 0 ? mean(affected.map((trajectory) => largestFact(trajectory, 'answer'))) : null;
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
        ? mean(trajectories.map((trajectory) => largestFact(trajectory, 'hops')))
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
