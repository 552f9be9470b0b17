import type { Level, Unit } from '../../lessons/lesson.ts';

const percent = (value: number) => `${Math.round(100 * value)} %`;

/** Texts around the lessons. The files in lessons/ have the texts of the lessons. */
export const lessonStrings = {
  title: 'Lessons',
  lead: 'Predict the curve of a training run. Then train it in this tab and compare your prediction with the result.',
  none: (name: string) => `Lesson “${name}” not found.`,
  units: {
    story: 'The story',
    credit: 'Other kinds of credit',
    limits: 'Limits of credit',
  } satisfies Record<Unit, string>,
  unit: (lessons: number, minutes: number) => `${lessons} lessons, about ${minutes} minutes`,
  lesson: (order: number) => `Lesson ${order}`,
  minutes: (minutes: number) => `${minutes} min`,
  training: (time: string) => `trains in ${time}`,
  state: { new: 'Not started', predicted: 'Predicted', done: 'Done' },
  finished: (done: number, lessons: number) => `${done} of ${lessons} lessons done`,
  more: 'More about the lessons',
  compared: 'Your prediction (dashed) and your result',
  all: 'All lessons',
  number: (order: number, minutes: number) => `Lesson ${order} · about ${minutes} minutes`,
  next: (title: string) => `Next: ${title}`,
  loading: 'Loading the lesson.',
  notLoaded: (reason: string) => `The lesson could not be loaded: ${reason}.`,
  again: 'Try again',
  level: {
    label: 'Reading level',
    help: 'Another level changes the text. The experiment stays the same.',
    names: {
      'five-year-old': 'Five-year-old',
      'high-school': 'High school',
      college: 'College',
      engineer: 'Engineer',
      phd: 'PhD student',
      peer: 'Expert',
    } satisfies Record<Level, string>,
  },
  parts: {
    before: 'The idea',
    predict: 'Predict',
    run: 'Run',
    reveal: 'Your prediction and the result',
    result: 'Result',
    after: 'Why',
    exercise: 'Exercise',
    exerciseOf: (number: number) => `Exercise ${number}`,
  },
  steps: {
    label: 'Steps of the lesson',
    done: ', done',
    steps: { idea: 'Idea', predict: 'Predict', run: 'Run', why: 'Why', exercise: 'Exercise' },
  },
  termHead: 'Meaning of a word',
  close: 'Close',
  predict: {
    how: 'Draw the curve that you expect: press into the chart and move across it. Or pick one of the four curves.',
    keys: 'With the keyboard: Tab to the curve, left and right choose a step, up and down move it.',
    choices: 'Four curves to pick from',
    point: (step: number) => `Your curve at step ${step}`,
    value: percent,
    chart: (line: string) => `Your prediction: ${line.toLowerCase()}`,
    empty: 'Draw here',
    step: (step: number) => `step ${step}`,
    clear: 'Clear',
    ready: 'Train',
    first: 'Draw a curve or pick one first.',
    wiped: 'Predict again',
  },
  run: {
    seed: 'Seed',
    seedHelp: 'Another seed gives the same experiment with other questions and other attempts.',
    state: {
      opening: 'Starting the training engine.',
      training: 'A small network trains in this tab.',
      stopped: (reason: string) => `Training stopped: ${reason}`,
      done: 'Done.',
    },
    progress: (step: number, steps: number) => `step ${step} of ${steps}`,
    stop: 'Stop',
    again: 'Train again',
    nextSeed: 'With the next seed',
    /** Announcement for screen readers at the end of training. */
    over: 'The training is done. The chart shows your prediction and the result.',
    noPoint: 'Waiting for the first update.',
  },
  reveal: {
    chart: 'Your prediction and the result',
    caption: 'Share of the rollouts of each step',
    fact: 'Share in each step of training',
    counted: 'Mean over the rollouts of each step',
    groups: 'Share of the groups of each step',
    heldOut: 'Share of new tasks, measured every few steps',
    predicted: 'Your prediction',
    short: 'prediction',
    of: (line: string, run: string) => `${line}: ${run}`,
    end: (step: number, drawn: number, actual: number) =>
      `At step ${step} you predicted ${percent(drawn)}; the run reached ${percent(actual)}.`,
    apart: (points: number) =>
      points < 10
        ? `On average your curve is ${points} points away from the result: very close.`
        : `On average your curve is ${points} points away from the result.`,
    purpose: 'What this experiment shows',
    unmet: 'Not in this run.',
    held: (held: number, seeds: number) => `Of the seeds 1 to ${seeds}, ${held} showed it.`,
    measured: (value: number, share: boolean) => `Here: ${share ? percent(value) : value.toFixed(2)}.`,
    sized:
      'This link sets another batch size than the lesson. The counts over ten seeds are omitted, because they belong to the batch size of the lesson.',
    why: 'Mean advantages in your run',
    /** Label of the run that the sentences describe. */
    ofRun: (label: string) => `${label}:`,
    /** Shares of the kinds of first turns in the last updates. */
    firstTurns: (from: number, to: number, kinds: readonly (readonly [name: string, share: number])[]) =>
      `First turns in updates ${from} to ${to}: ${kinds.map(([name, share]) => `${percent(share)} ${name}`).join(', ')}.`,
    /** Update with the largest share of a kind of first turns. */
    peak: (step: number, share: number, name: string, meaning: string) =>
      `At update ${step}, ${percent(share)} of the first turns were ${name}: ${meaning}`,
    playground: 'Open this run in the Playground',
  },
} as const;

/** Formats a training time: rounded to 10 s below 90 s, otherwise to minutes. @param seconds training time [s] */
export function trainingTime(seconds: number): string {
  if (seconds < 90) return `${Math.max(10, 10 * Math.round(seconds / 10))} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** Texts of the figure of decision density. */
export const densityStrings = {
  title: 'Decision density and credit per rollout',
  lead: 'Each point is one size of Search under its initial policy: the mean of 20 seeds with its 95 % interval. A turn is a decision if the absolute value of its true advantage is above 0.1. A label gives the turns and hops: 6·2 is 6 turns, 2 hops.',
  across: 'Decision density: share of turns that are decisions',
  up: 'Correlation of GRPO-OR with the true advantages',
  limit: 'square root of the density',
  label: (turns: number, hops: number) => `${turns} turns${hops > 1 ? `, ${hops} hops` : ''}`,
  point: (label: string, density: string, correlation: string) =>
    `${label}: density ${density}, correlation ${correlation}`,
  note: 'The dashed curve is the maximum correlation of a rule with the same squared credit for all turns. Above it, GRPO-OR gives decisions more credit than other turns.',
} as const;
