import { advantageChart, type EnvironmentCharts, heldOutChart, rewardsChart, tiedGroupsChart } from '../chart.ts';
import { ANSWER_PROBABILITY_CHART, STATE_VALUE_CHART } from '../shared/stateFacts.ts';

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
