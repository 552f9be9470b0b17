import { advantageChart, type EnvironmentCharts, heldOutChart, rewardsChart, tiedGroupsChart } from '../chart.ts';

/** The charts of search runs. */
export const SEARCH_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Does it keep the tool?',
    caption: 'Share of this step’s rollouts that called the tool, found the fact, answered right, kept the format',
    format: 'share',
    lines: ['toolUse', 'answer', 'retrieval', 'format'],
  },
  small: [
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
