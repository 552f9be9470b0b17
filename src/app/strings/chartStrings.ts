import { UNITS } from '../../metrics/metric.ts';

/**
 * Texts of the charts: what every chart says, then titles and captions by the charts' names. Labels of lines are those of
 * the metrics (src/metrics).
 */
export const chartStrings = {
  region: 'Curves',
  steps: 'step',
  ruleMark: (rule: string) => `rule → ${rule}`,
  ruleMarkShort: (rule: string) => `→ ${rule}`,
  valueMark: (label: string, value: string) => `${label} → ${value}`,
  plannedMark: (change: string) => `planned: ${change}`,
  plannedText: (step: number, changes: string) => `Planned for step ${step}: ${changes}`,
  table: 'Table',
  hideTable: 'Hide table',
  svg: 'SVG',
  tableCaption: (title: string, every: number) =>
    every === 1 ? `${title}, every step` : `${title}, one step in ${every}; the CSV export has them all`,
  thinned: (every: number, before: number) => `before step ${before}: one update in ${every}`,
  tableThinned: (title: string, every: number, before: number) =>
    `${title}: some of the steps; the CSV export has all that are kept. Before step ${before} the page holds one update in ${every}`,
  latest: 'latest',
  atStep: (step: number) => `step ${step}`,
  cursor: (title: string) => `${title}: step to read. Left and right arrow keys move, End returns to the latest.`,
  description: (title: string, steps: number, values: string) => `${title} over ${steps} steps. Latest: ${values}.`,
  noValue: '–',
  event: 'Event',
  main: {
    search: {
      title: 'Does it keep the tool?',
      caption: 'Share of this step’s rollouts that called the tool, found the fact, answered right, kept the format',
    },
    repair: {
      title: 'Does it write right programs, and mend wrong ones?',
      caption:
        'Share of this step’s programs that pass all tests, first and second ones, and of failures that were made good',
    },
    repo: {
      title: 'Does it fix the bugs, and test before it says so?',
      caption: 'Share of this step’s episodes that fixed everything, tested their last edit, said that they were done',
    },
  },
  rewards: { title: 'Mean reward', caption: 'turn 1 (Rᴵ) and outcome (Rᴼ)' },
  rewardsOfTurns: { title: 'Mean reward', caption: 'turns before the last (Rᴵ) and outcome (Rᴼ)' },
  search: { title: 'P(search)', caption: 'at the one token that decides' },
  entropy: { title: 'Entropy', caption: UNITS.nats },
  kl: { title: 'KL', caption: `k3, ${UNITS.nats}` },
  clip: { title: 'Clip fraction', caption: 'share of policy tokens' },
  gradient: { title: 'Gradient norm', caption: 'before clipping' },
  degenerate: { title: 'Tied groups', caption: 'no variance, nothing to learn' },
  ties: { title: 'Tied groups', caption: 'if only right or wrong counted, and by the rule’s own reward' },
  tiesOfEpisodes: { title: 'Tied groups', caption: 'same outcome throughout, and by the rule’s own reward' },
  retained: { title: 'Turns trained on', caption: 'share that was neither pruned nor without credit' },
  tests: { title: 'Tests', caption: 'of first programs; syntax errors of all' },
  episode: { title: 'Length', caption: 'actions an episode, mean' },
  invalid: { title: 'Invalid actions', caption: 'share of actions' },
  comparison: { title: 'What steps are compared with', caption: 'share of steps' },
  heldOut: { title: 'Held-out tasks', caption: 'never trained on' },
  critic: { title: 'Critic', caption: 'explained variance, value loss' },
  searches: { title: 'Searches', caption: 'a rollout, mean' },
  advantage: { title: '|Advantage|', caption: 'mean: how hard each turn is pushed' },
  advantageOfTurns: { title: '|Advantage|', caption: 'mean: how hard first and last turns are pushed' },
  phases: { title: 'Time of an update', caption: 'ms, phase by phase' },
  phasesTogether: {
    title: 'Time of an update',
    caption: 'ms; this device has no timestamps that tell credit from optimisation',
  },
  /** Where a measurement on held-out tasks stands beside what training itself sees. */
  heldOutSeries: (label: string) => `${label}, held out`,
  heldOutShort: 'held out',
  /** Lines whose names elsewhere do not fit this chart. */
  ownReward: ['By the rule’s own reward', 'own reward'],
  /** Names at the ends of lines, for facts and held-out figures whose label is too long there. */
  short: {
    pass1: 'at once',
    pass2: '2nd try',
    solved: 'solved',
    repaired: 'repaired',
    passRate: 'passed',
    partial: 'partly',
    syntaxErrors: 'syntax',
    degenerate01: '0 or 1',
    tested: 'tested',
    finished: 'finished',
    zeroAdvantage: 'no credit',
    sharedStates: 'shared',
    uniform: 'outcome',
    iter1: 'Iter-1',
    iter2: 'Iter-2',
    answer: 'answer',
    toolUse: 'tool use',
  } as Readonly<Record<string, string>>,
} as const;
