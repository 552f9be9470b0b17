import { hoursText } from '../../experiments/claims/verdictWords.ts';

const seeds = (count: string) => `${count} ${count === '1' ? 'seed' : 'seeds'}`;

/** Texts of the Lab. They come with it. */
export const labStrings = {
  title: 'Lab',
  lead: 'What four papers claim, put to the test in worlds small enough to train here. Every verdict counts all tests of its paper, and what the seeds do not decide is open.',
  summaryLink: 'What appears, and what does not',
  listLink: 'All claims',
  filter: {
    label: 'Claims to show',
    paper: 'Paper',
    verdict: 'Verdict',
    all: 'all',
    own: 'Our own questions',
    shown: (count: number, all: number) => (count === all ? `${all} claims` : `${count} of ${all} claims`),
    none: 'No claim of this paper has this verdict.',
    reset: 'Show all',
  },
  verdicts: {
    holds: {
      sign: '✓',
      help: 'The interval lies on the claimed side of the margin, with all tests of the paper in mind.',
    },
    'no such gain': { sign: '✗', help: 'The interval lies below the margin.' },
    reverse: { sign: '⇄', help: 'The interval lies below minus the margin.' },
    open: { sign: '?', help: 'The runs decide nothing yet.' },
    'not run': { sign: '–', help: 'Nothing of it was run yet.' },
  },
  counted: (verdict: string, count: number) => (count > 1 ? `${verdict} ${count}` : verdict),
  firstEdition: 'first edition, without a verdict',
  ownFinding: 'Our own question',
  place: (place: string, compared: string) => `${place}. Compared: ${compared}`,
  quote: (quote: string) => `In its words: “${quote}”`,
  ownPlace: (place: string) => `No paper claims it. ${place}.`,
  loading: 'The numbers of this claim are being loaded.',
  notLoaded: (reason: string) => `The numbers of this claim could not be loaded: ${reason}.`,
  again: 'Try again',
  none: (id: string) => `There is no claim ${id}. These are all of them.`,
  verdict: 'Our verdict',
  experiment: (name: string) => `Experiment: ${name}`,
  about: (steps: number, count: string) =>
    `${steps} updates a run; ${seeds(count)}, each with a world and a warm start of its own.`,
  device: (devices: string) => `Device: ${devices}.`,
  missingRuns: (missing: number, hours: number) =>
    `${missing} runs are missing, an estimate of ${hoursText(hours)} on one process.`,
  notRun: (missing: number, hours: number) =>
    `Not run: ${missing} runs, an estimate of ${hoursText(hours)} on one process.`,
  /** A claim that has no file. */
  noFile: 'There is no result of this claim here. It is made so:',
  cannot: (why: string) => `Cannot be run yet. ${why}`,
  partly: (why: string) => `Not run of it: ${why}`,
  make: 'In a copy of the repository, this makes the result and the page of it:',
  commands: (id: string) => `npm run turnwise -- lab run ${id}\nnpm run turnwise -- lab report --docs docs/lab`,
  same: 'The same runs in the terminal',
  check: (id: string, line: string) => `npm run turnwise -- lab check ${id} --seed 1\nnpm run turnwise -- ${line}`,
  differs: 'What differs from the paper',
  reasons: 'The likeliest reason',
  hours: (missing: number, hours: number) => `${missing} runs to be made, ${hoursText(hours)}`,
  seeds,
  figure: {
    title: 'Every test: the seeds, their mean and its 95 % interval',
    caption:
      'Dots are seeds, the bar is the 95 % interval of their mean, the band is the margin. Right of the line is what is claimed.',
    found: (mean: string, unit: string, interval: string) => `${mean} ${unit}; 95 % interval ${interval}`,
    points: 'points',
    margin: (margin: string) => `margin ${margin}`,
    dot: (seed: number, value: string) => `seed ${seed}: ${value}`,
    primary: 'primary test',
    arms: (higher: string, lower: string) => `${higher} and ${lower}`,
  },
  counts: 'Counted over the seeds',
  numbers: 'The numbers of every arm',
  curves: {
    title: 'Curves',
    of: 'Curve',
    recorded: 'recorded mean',
    recordedShort: 'recorded',
    band: 'The area is the range of the recorded seeds.',
    noBand: 'Recorded means alone: this result was made before ranges were kept.',
    noRecord: 'Nothing is recorded yet.',
    here: (seed: number) => `seed ${seed} here`,
    noPoint: 'Nothing is recorded of it, and nothing was run here.',
  },
  runs: {
    seed: 'Seed',
    one: (arms: number) => (arms === 1 ? 'Run this seed here' : `Run this seed here: ${arms} arms`),
    all: (seeds: number, arms: number) => `Run all ${seeds} seeds here: ${seeds * arms} runs`,
    own: 'In a worker of their own: the Playground goes on. Finished runs stay on this device.',
    elsewhere: (arms: number) =>
      arms === 1
        ? 'One arm is expert iteration, which runs in a terminal.'
        : `${arms} arms are expert iteration, which runs in a terminal.`,
    progress: 'Updates of all runs',
    finished: (done: number, all: number) => `${done} of ${all} runs done`,
    stopped: (reason: string) =>
      `It does not go on: ${(reason || 'the worker ended').replace(/\.$/, '')}. What is trained stays.`,
    here: 'The tests at the seeds that were run here',
    atSeed: (seed: number, here: string, recorded: string | undefined) =>
      `seed ${seed} ${here}${recorded === undefined ? '' : ` (recorded ${recorded})`}`,
    lanes: 'Runs that train now',
    lane: (arm: string, seed: number) => `${arm}, seed ${seed}`,
    step: (step: number, steps: number) => `${step} of ${steps}`,
    switched: (from: string, step: number, to: string) => `${from}, from update ${step} ${to}`,
  },
  summary: {
    title: 'What appears, and what does not',
    lead: (claims: number, run: number, all: number) =>
      `${claims} claims; ${run} of them have runs of this edition. Of their ${all} tests:`,
    claim: 'claim',
    says: 'in our words, and our verdict',
    seeds: 'seeds',
    still: 'still to be run',
    cannot: 'cannot be run yet',
  },
} as const;
