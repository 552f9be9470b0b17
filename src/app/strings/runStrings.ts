import { type EngineName, isExact, WGSL } from '../../training/data/configuration.ts';

/** Formats a duration, for example "3 min" or "40 s". */
function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Texts of the panels for several runs. */
export const laneStrings = {
  region: 'Runs on this page',
  selectedRun: 'Selected run',
  step: (step: number) => `step ${step}`,
  seed: (seed: number) => `seed ${seed}`,
  from: (step: number, description: string) => `from step ${step} ${description}`,
  show: (number: number) => `Show run ${number}`,
  close: (number: number) => `Close run ${number}; it stays in “Saved runs”`,
  problem: (number: number, message: string) => `Run ${number}: ${message}`,
  noState: 'The run could not be forked: its state could not be read.',
  metric: 'Metric in the chart',
  title: 'Compare runs',
  brief: 'fork this run, or compare rules and seeds',
  full: (limit: number) => `At most ${limit} runs train at a time. Close one to open another.`,
  fork: {
    title: 'Fork here',
    help: 'This run continues, and a copy of it continues with another rule: same history, two rules.',
    under: 'Continue with',
    act: 'Fork here',
  },
  compare: {
    title: 'Compare rules',
    help: 'Two to four rules from step 0, with the same starting policy, seed and questions.',
    act: (count: number) => (count === 1 ? 'Train 1 rule' : `Train ${count} rules`),
    rulesMissing: 'Choose at least two rules.',
    many: (limit: number) => `Choose at most ${limit} rules.`,
  },
  seeds: {
    title: 'Compare seeds',
    help: 'The current settings with other seeds. The differences between the runs are due to chance.',
    count: 'Seeds',
    steps: 'updates each',
    act: (count: number) => `Train ${count} seeds`,
    finished: (done: number, count: number) => `${done} of ${count} seeds done`,
    left: (milliseconds: number | undefined) => (milliseconds === undefined ? '' : `${duration(milliseconds)} left`),
    stop: 'Stop',
    goOn: 'Resume',
    close: 'Close the seeds',
    noPoint: 'The first update of the first seed is running.',
    about: (run: string, count: number) => `${run}; with seeds 1 to ${count}`,
    chart: {
      title: (line: string) => `${line}, each seed`,
      caption: 'thin: each seed; bold: mean of the completed seeds; band: its 95 % interval (Student’s t)',
      mean: (count: number) => (count === 1 ? 'Completed seed' : `Mean of ${count} seeds`),
      short: 'mean',
    },
  },
  chart: {
    title: (line: string) => `${line}, each run`,
    caption: (runs: number) => `${runs} runs of the same task, one line each`,
    mark: (number: number, label: string) => `${number}: ${label}`,
    text: (number: number, text: string) => `Run ${number}: ${text}`,
  },
} as const;

/** Texts about saved runs, in this tab and in other tabs. */
export const savedRunStrings = {
  removed: (name: string) => `${name} was deleted.`,
  removedCurrent: (name: string) =>
    `${name} was deleted. It continues here, but it is no longer saved. “Save this run” saves it again.`,
  removedElsewhere: (name: string) =>
    `${name} was deleted in another tab. It continues here, but it is no longer saved. “Save this run” saves it again.`,
  deletedElsewhere: (name: string) => `${name} was deleted in another tab.`,
  save: 'Save this run',
  savedNotice: 'The run is saved again.',
  elsewhere: (step: number) =>
    `Another tab continues this run. In this tab, the run is paused at step ${step}. If you train it here, ` +
    'you train a copy, which is saved separately. If the other tab is closed, this tab continues the run.',
  copied: (step: number) =>
    `Another tab continues this run. The updates trained here, up to step ${step}, are saved as a separate run.`,
  copying: (step: number) =>
    `Another tab continues this run. From step ${step} on you train a copy, which is saved separately.`,
  continuedHere: (step: number) => `The other tab is closed. This tab continues the run at step ${step}.`,
  download: {
    late: (step: number) => `The run has stopped. The file contains its last stored state, step ${step}.`,
    none: 'The run stopped before a state was stored, so there is no file.',
    replaced: 'Another run began before the state of this one was stored, so there is no file.',
    notStored: 'The updates of the run are no longer stored, so there is no file.',
    downsampled: (every: number, before: number) =>
      `Before step ${before} the file contains about one update in ${every}, because the others were not stored.`,
    partly: (reason: string) => `The stored updates could not be read (${reason}).`,
  },
} as const;

/** Texts about the engine of a run. */
export const engineStrings = {
  label: 'Engine',
  help: 'Computes the run. After a change, the selected run continues on the other engine from its last update.',
  /** Options of the engine control. */
  options: { exact: 'Processor', wgsl: 'WebGPU' },
  exact: 'exact, on the processor: the same numbers on every machine',
  noState: 'The engine was not changed: the state of the run could not be read.',
  /** Notice if a run uses another engine than the requested one. */
  different: (requested: EngineName, got: EngineName) =>
    isExact(requested)
      ? `This run was made with engine ${requested}. It trains on ${got} here, so its numbers may differ.`
      : 'WebGPU was requested, and this browser does not provide it. The run trains on the processor; no update is lost.',
  /** Notice if the engine changed during training. */
  replaced: (got: EngineName) =>
    got === WGSL
      ? 'The run continues on WebGPU.'
      : 'The graphics card did not recover. The run continues on the processor from its last checkpoint.',
} as const;

/** Texts of the controls for the pace of a run and for the keys. */
export const paceStrings = {
  label: 'Speed',
  help: 'Maximum number of updates a second. It does not change the result.',
  perSecond: (updates: number) => (updates === 1 ? '1 update/s' : `${updates} updates/s`),
  fastest: 'unlimited',
  slower: (rate: string) => `this device: ${rate} updates/s`,
  keys: {
    label: 'Keys: space, →, 1 to 9',
    help: 'Space plays and pauses, → does one update, 1 to 9 select a rule: the rules of the switch, then the rules of its menu.',
  },
};

/** Notes at the top of the CSV file of curves. src/metrics has the units and meanings of its columns. */
export const columnNotes = {
  title: "Turnwise, curves of a run. Lines that begin with # are notes (pandas: read_csv(file, comment='#')).",
  run: (description: string) => `Run: ${description}`,
  ofRun: (number: number, note: string) => `Run ${number}. ${note}`,
  runColumn: 'run: the number of the run, from 1',
  link: (query: string) => `Link: ${query}`,
  settings: (values: string) => `Environment settings: ${values}`,
  controls: (values: string) => `Controls at step 0: ${values}`,
  change: (step: number, text: string) => `Step ${step}: ${text}`,
  downsampled: (every: number, before: number) =>
    `Before step ${before}, this file has about one update in ${every}, because the others were not stored.`,
  column: (name: string, unit: string, meaning: string) => (unit ? `${name} [${unit}]: ${meaning}` : name),
  heldOut: (help: string) => `${help} On tasks that are never trained on; empty where not measured.`,
} as const;
