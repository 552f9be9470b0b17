import { advantageChart, type EnvironmentCharts, rewardsChart, tiedGroupsChart } from '../chart.ts';
import { WORTH_CHART } from '../shared/stateFacts.ts';

/** The charts of bandit runs. */
export const BANDIT_CHARTS: EnvironmentCharts = {
  main: {
    id: 'main',
    title: 'Key, bait and door',
    caption: 'Share of this update’s episodes',
    format: 'share',
    lines: ['fact:key', 'fact:right', 'fact:bait'],
  },
  small: [
    {
      id: 'numbers',
      title: 'Return',
      caption: 'turn reward and outcome, mean',
      format: 'number',
      least: 0.5,
      lines: ['fact:return'],
    },
    WORTH_CHART,
    rewardsChart(),
    tiedGroupsChart(),
    advantageChart(),
  ],
};
