import { hoursText, NO_CONCLUSION_STATES, READER_CONCLUSIONS } from '../../experiments/claims/conclusionText.ts';

/** Texts of the Lab, loaded with its view. */
export const labStrings = {
  /** Name of the Lab in the title of the window. */
  windowTitle: 'Lab',
  title: 'Which claims reproduce?',
  list: 'Claims',
  overviewLink: 'Which claims reproduce?',
  overview: {
    table: 'Claims of the papers',
    claim: 'claim',
    here: 'conclusion',
    effect: 'effect [95 % interval]',
    seeds: 'seeds',
    open: 'open',
    all: (count: number) => `All ${count} claims and questions`,
    questions: (count: number) => `${count} additional questions`,
    figures: 'Figures',
    noFigure: 'Not run yet.',
  },
  filter: {
    label: 'Claims to show',
    paper: 'Paper',
    conclusionHead: 'Conclusion',
    all: 'all',
    customQuestions: 'Questions of the project',
    claimCount: (count: number, all: number) => (count === all ? `${all} claims` : `${count} of ${all} claims`),
    none: 'No claim of this paper has this conclusion.',
    reset: 'Show all',
  },
  results: {
    reproduced: { sign: '✓', help: READER_CONCLUSIONS.reproduced },
    'in part': { sign: '◐', help: READER_CONCLUSIONS['in part'] },
    contradicted: { sign: '✗', help: READER_CONCLUSIONS.contradicted },
    inconclusive: { sign: '?', help: READER_CONCLUSIONS.inconclusive },
    running: { sign: '…', help: NO_CONCLUSION_STATES.running },
    'not run': { sign: '–', help: NO_CONCLUSION_STATES['not run'] },
    complete: { sign: '≡', help: NO_CONCLUSION_STATES.complete },
    holds: {
      sign: '✓',
      help: 'The test shows the claimed result, after the correction.',
    },
    'no such gain': { sign: '✗', help: 'The test shows an effect below the margin, after the correction.' },
    reverse: { sign: '⇄', help: 'The test shows the opposite of the claimed result, after the correction.' },
    open: {
      sign: '?',
      help: 'After the correction, the test decides neither for nor against the claim, or it lacks seeds.',
    },
  },
  /** Names of the states of claims in filters. */
  states: {
    reproduced: 'reproduced',
    'in part': 'in part',
    contradicted: 'contradicted',
    inconclusive: 'inconclusive',
    running: 'seeds missing',
    'not run': 'not run yet',
    complete: 'all seeds',
  },
  customFinding: 'Additional question',
  paperSource: (source: string, compared: string) => `${source}. Compared: ${compared}`,
  quote: (quote: string) => `In its words: “${quote}”`,
  customSource: (source: string) => `A question that is not among the claims of the four papers. ${source}.`,
  loading: 'Loading the results of this claim.',
  notLoaded: (reason: string) => `The results of this claim could not be loaded: ${reason}.`,
  again: 'Try again',
  none: (id: string) => `Claim ${id} not found. All claims are listed below.`,
  conclusionHead: 'Conclusion',
  changed: (change: string) => `Changed after a part of the runs: ${change}`,
  tests: 'Tests',
  experiment: (name: string) => `Experiment: ${name}`,
  about: (steps: number, runs: number) =>
    `${steps} updates a run; ${runs} ${runs === 1 ? 'run' : 'runs'}, each seed has a separate world and warm start.`,
  world: ({ title, shows }: { readonly title: string; readonly shows: string }) => `World: ${title}. ${shows}`,
  device: (devices: string) =>
    `Engine: ${devices}${devices.startsWith('exact/') ? ', which computes the same bits on every machine' : ''}.`,
  missingRuns: (missing: number, hours: number) =>
    `${missing} runs are missing, an estimate of ${hoursText(hours)} on one process.`,
  notRun: (missing: number, hours: number) =>
    `Not run: ${missing} runs, an estimate of ${hoursText(hours)} on one process.`,
  /** Text of a claim without a result file. */
  noFile: 'This claim has no result yet. To create it, run:',
  cannot: (why: string) => `Cannot be run yet. ${why}`,
  partly: (why: string) => `Not run: ${why}`,
  commandsIntro: 'In a copy of the repository, these commands create the result and its page:',
  commands: (id: string) =>
    `npm run turnwise -- lab run ${id}\nnpm run turnwise -- lab report --docs docs/reference/lab`,
  same: 'The same runs in the terminal',
  check: (id: string, line: string) => `npm run turnwise -- lab check ${id} --seed 1\nnpm run turnwise -- ${line}`,
  differs: 'What differs from the paper',
  reasons: 'Likely explanation',
  hours: (missing: number, hours: number) => `${missing} runs missing, ${hoursText(hours)}`,
  figure: {
    title: 'Tests: the seeds, their mean and its 95 % interval',
    points: 'points',
    margin: (margin: string) => `margin ${margin}`,
    primary: 'primary test',
  },
  counts: 'By seed',
  numbers: 'Results by arm',
  curves: {
    title: 'Curves',
    of: 'Curve',
    recorded: 'recorded mean',
    recordedShort: 'recorded',
    band: 'The area is the range of the recorded seeds.',
    noBand: 'Recorded means only: this result has no ranges.',
    noRecord: 'No recorded curve yet.',
    here: (seed: number) => `seed ${seed} here`,
    noPoint: 'No recorded curve, and no run in this browser.',
  },
  runs: {
    seed: 'Seed',
    single: (arms: number) => (arms === 1 ? 'Run this seed here' : `Run this seed here: ${arms} arms`),
    all: (seeds: number, arms: number) => `Run all ${seeds} seeds here: ${seeds * arms} runs`,
    backgroundNote: 'Runs in the background; the Playground keeps training. Finished runs stay on this device.',
    elsewhere: (arms: number) =>
      arms === 1
        ? 'One arm is expert iteration, which runs in a terminal.'
        : `${arms} arms are expert iteration, which runs in a terminal.`,
    progress: 'Updates of all runs',
    finished: (done: number, all: number) => `${done} of ${all} runs done`,
    stopped: (reason: string) =>
      `Stopped: ${(reason || 'the worker ended').replace(/\.$/, '')}. Finished runs are saved.`,
    here: 'Tests on the seeds that ran in this browser',
    atSeed: (seed: number, here: string, recorded: string | undefined) =>
      `seed ${seed} ${here}${recorded === undefined ? '' : ` (recorded ${recorded})`}`,
    lanes: 'Training now',
    lane: (arm: string, seed: number) => `${arm}, seed ${seed}`,
    step: (step: number, steps: number) => `${step} of ${steps}`,
    switched: (from: string, step: number, to: string) => `${from}, from update ${step} ${to}`,
  },
} as const;
