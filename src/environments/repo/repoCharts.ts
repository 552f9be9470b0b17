import {
  advantageChart,
  type EnvironmentCharts,
  heldOutChart,
  RETAINED_CHART,
  rewardsChart,
  tiesChart,
} from '../chart.ts';

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
