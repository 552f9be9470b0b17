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
      'This link sets another batch size than the lesson. The results over ten seeds were measured with the batch size of the lesson.',
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
  exercise: {
    wait: 'The exercise is made from a group of your run. Train first.',
    none: 'All groups of this run have identical rewards, so there is no exercise. Train with another seed.',
    nearest: 'No group of this run has all properties that the text describes. This group has most of them.',
    group: (step: number, count: number) => `Update ${step + 1} of your run: ${count} attempts at one question.`,
    table: (table: number) => `table ${table}`,
    inputs: (names: string) => `; input ${names}`,
    rollout: 'Attempt',
    searched: 'Searched?',
    first: 'Reward of turn 1',
    outcome: 'Outcome reward',
    yes: 'yes',
    no: 'no',
    questionAdvantage: (rollout: number, turn: number) => `Advantage of attempt ${rollout}, turn ${turn}`,
    check: 'Check',
    right: 'Correct.',
    near: 'Correct (rounded).',
    wrong: 'Not correct yet.',
    empty: 'Write a number, such as −0.5.',
    hint: 'Hint',
    hintText:
      'Compute the mean of the column. Compute its standard deviation: add up the squared distances from the mean, divide by the number of attempts minus one, and take the square root. Subtract the mean from the reward of the attempt, and divide by the standard deviation.',
    sumHint:
      'Add up both columns for every attempt. Subtract the mean of the sums from the sum of the attempt, and divide by the standard deviation of the sums: add up the squared distances from the mean, divide by the number of attempts minus one, and take the square root.',
    sum: 'Sum of both columns',
    // Exercise on the sign of an advantage: more likely or less likely.
    questionUnderRule: (rollout: number, rule: string) => `Turn 1 of attempt ${rollout} under ${rule}`,
    moreLikely: 'more likely',
    noChange: 'neither',
    blame: 'less likely',
    pick: 'Pick one',
    unselected: 'Pick one first.',
    reinforceHint:
      'Find the number that each rule compares. A turn above the mean of its group becomes more likely, a turn below the mean less likely. If all numbers are equal, or if two comparisons cancel each other, it is neither.',
    // Exercises on programs.
    program: 'Tests that its first program passes',
    secondPrograms: 'Tests that its second programs pass',
    passes: (passed: number, all: number) => `${passed} of ${all}`,
    tests: (passed: number) => String(passed),
    nothing: '–',
    questionValue: (rollout: number) => `Value of the first program of attempt ${rollout}, R̂`,
    firstValues: 'Values of the first programs',
    bestHint:
      'The reward of a program is the share of the tests that it passes: 7 of 10 is 0.7. The value of a first program is the largest of its reward and the rewards of its second programs. For the advantage, subtract the mean of the values of all first programs, and divide by their standard deviation.',
    meanHint:
      'The reward of a program is the share of the tests that it passes: 7 of 10 is 0.7. Multiply the mean reward of its second programs by 0.9, add its own reward, and divide by 2. The value of a program without second programs is its own reward. For the advantage, subtract the mean of the values of all first programs, and divide by their standard deviation.',
    test: 'Test',
    passing: 'Programs that pass it',
    weight: 'Weight',
    passedBy: (program: string) => `Does ${program} pass it?`,
    questionRate: (test: number) => `Share of the programs that pass test ${test}`,
    questionReward: (program: string) => `Reward of program ${program} for its tests`,
    questionProgram: (program: string) => `Advantage of program ${program}`,
    testsHint:
      'The share of a test: the programs that pass it, divided by all programs. The reward of a program for its tests: the sum of the weights of the tests that it passes. Its advantage is the sum of two differences: this reward minus its mean over all programs, and the outcome of the attempt minus the mean over all attempts.',
    means: (turns: string, outcome: string, ends: string) =>
      `Mean reward of all programs for their tests: ${turns}. Outcome of this attempt: ${outcome}. Mean outcome of all attempts: ${ends}.`,
    // Exercises on tokens.
    numberHead: 'No.',
    token: 'Token',
    value: 'Value, V',
    rewardHead: 'Reward',
    questionToken: (position: number, token: string) => `Advantage of token ${position}, ${token}`,
    stepHint:
      'With λ = 0: the reward at the token, plus the value that the critic expects at the next token, minus the value at this token. After the last token the value is 0.',
    waitHint:
      'With λ = 1: the sum of all rewards from this token to the end, minus the value that the critic expects at this token. Later values do not matter.',
    gaeHint: (lambda: number) =>
      `Start at the last token. Its surprise is its reward minus the value that the critic expected. The advantage of an earlier token is its own surprise (reward, plus next value, minus value) plus ${lambda} times the advantage of the next token.`,
    answer: 'Show the computation',
    numbers: (column: string, mean: string, deviation: string) =>
      `${column}: mean ${mean}, standard deviation ${deviation}.`,
  },
} as const;
