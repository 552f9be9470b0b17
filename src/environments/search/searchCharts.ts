import { advantageChart, type EnvironmentCharts, heldOutChart, rewardsChart, tiedGroupsChart } from '../chart.ts';
import { BELIEF_CHART, WORTH_CHART } from '../shared/stateFacts.ts';

/** The charts of search runs. */
export const SEARCH_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Tool use and accuracy',
    caption:
      'Share of this step’s rollouts that called the tool, and that answered right; and of answers to questions that training never asks',
    format: 'share',
    lines: [
      'toolUse',
      { key: 'answer', label: 'Right in training', short: 'right in training' },
      { key: 'heldOut:answer', label: 'Right on new questions', short: 'right on new' },
    ],
  },
  small: [
    {
      id: 'judge',
      title: 'Judge and rules',
      caption: 'what the judge pays turns before the last, and what the rules would',
      format: 'number',
      lines: ['fact:judgeReward', 'fact:ruleReward', 'fact:lovedFailures'],
      since: 'fact:judgeReward',
    },
    BELIEF_CHART,
    WORTH_CHART,
    {
      id: 'calls',
      title: 'Calls and answers',
      caption: 'found the fact; kept the format',
      format: 'share',
      lines: ['retrieval', 'format'],
    },
    {
      id: 'documents',
      title: 'The document’s word',
      caption: 'how often it is out of date, and who knows better',
      format: 'share',
      lines: ['fact:outdated', 'fact:against'],
      when: ({ stale }) => Number(stale) > 0,
    },
    rewardsChart('turn 1 (Rᴵ) and outcome (Rᴼ)'),
    {
      id: 'search',
      title: 'P(search)',
      caption: 'at the one token that decides',
      format: 'share',
      lines: ['searchProbability'],
    },
    heldOutChart('answer', 'toolUse'),
    tiedGroupsChart('degenerateBest', 'degenerateWorst'),
    advantageChart('mean: how hard each turn is pushed'),
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
