import { UNITS } from '../../metrics/metric.ts';

/**
 * Texts of the charts: shared texts, then titles and captions of the charts that all runs have. The folder of an
 * environment has the texts of its charts, and src/metrics has the labels of the lines.
 */
export const chartStrings = {
  region: 'Curves',
  recorded: (line: string | undefined) => `grey: recorded runs${line === undefined ? '' : ` (${line})`}`,
  steps: 'update',
  ruleMark: (rule: string) => `rule → ${rule}`,
  ruleMarkShort: (rule: string) => `→ ${rule}`,
  valueMark: (label: string, value: string) => `${label} → ${value}`,
  plannedMark: (change: string) => `scheduled: ${change}`,
  plannedText: (step: number, changes: string) => `Scheduled after update ${step}: ${changes}`,
  table: 'Table',
  hideTable: 'Hide table',
  svg: 'SVG',
  notSaved: (reason: string) => `The chart could not be saved: ${reason}. Is this device online?`,
  tableCaption: (title: string, every: number) =>
    every === 1 ? `${title}, every update` : `${title}, one update in ${every}; the CSV export has all updates`,
  downsampled: (every: number, before: number) => `before update ${before}: one update in ${every}`,
  tableDownsampled: (title: string, every: number, before: number) =>
    `${title}: some of the updates; the CSV export has all stored updates. Before update ${before} one update in ${every} is stored`,
  latest: 'latest',
  atUpdate: (update: number) => `update ${update}`,
  cursor: (title: string) => `${title}: update to read. Left and right arrow keys move, End returns to the latest.`,
  description: (title: string, updates: number, values: string) =>
    `${title} over ${updates} updates. Latest: ${values}.`,
  noValue: '–',
  event: 'Event',
  entropy: { title: 'Entropy', caption: UNITS.nats },
  kl: { title: 'KL', caption: `k3, ${UNITS.nats}` },
  clip: { title: 'Clip fraction', caption: 'share of policy tokens' },
  gradient: { title: 'Gradient norm', caption: 'before clipping' },
  critic: { title: 'Critic', caption: 'explained variance, value loss' },
  phases: { title: 'Update time', caption: 'ms, by phase' },
  phasesTogether: {
    title: 'Update time',
    caption: 'ms; this device has no timestamps that separate credit from optimisation',
  },
} as const;

/** Texts of the note about a slow device. */
export const slowDeviceStrings = {
  rate: (updates: string) => `${updates} updates/s here.`,
  batches: 'Smaller batches',
  batchesHelp: 'Trains with 4 questions an update, 2 to 3 times as fast',
  recorded: 'Recorded runs',
} as const;
