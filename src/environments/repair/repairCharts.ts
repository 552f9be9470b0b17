import {
  advantageChart,
  type EnvironmentCharts,
  heldOutChart,
  RETAINED_CHART,
  rewardsChart,
  tiesChart,
} from '../chart.ts';

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
