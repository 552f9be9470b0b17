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
