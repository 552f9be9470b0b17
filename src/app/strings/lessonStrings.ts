import type { Level } from '../../lessons/lesson.ts';

const percent = (value: number) => `${Math.round(100 * value)} %`;

/** Texts around the lessons; what the lessons themselves say stands in their files (lessons/). */
export const lessonStrings = {
  title: 'Lessons',
  lead: 'Predict what a training run will do. Then train it here, in this tab, and see both curves over one another.',
  none: (name: string) => `There is no lesson “${name}”. These are all that there are.`,
  all: 'All lessons',
  number: (order: number, minutes: number) => `Lesson ${order} · about ${minutes} minutes`,
  next: (title: string) => `Next: ${title}`,
  loading: 'The lesson is being loaded.',
  notLoaded: (reason: string) => `The lesson could not be loaded: ${reason}.`,
  again: 'Try again',
  level: {
    label: 'Read it as',
    help: 'Another level changes the text. The experiment stays the same.',
    names: {
      'five-year-old': 'Five-year-old',
      'high-school': 'High school',
      college: 'College',
      engineer: 'Engineer',
      phd: 'PhD student',
      peer: 'Peer',
    } satisfies Record<Level, string>,
  },
  parts: {
    before: 'The idea',
    predict: '1. Predict',
    run: '2. Run',
    reveal: '3. Reveal',
    after: 'Why',
    exercise: 'Your turn',
    exerciseOf: (number: number) => `Exercise ${number}`,
  },
  word: 'What a word means',
  close: 'Close',
  predict: {
    how: 'Draw the curve that you expect: press into the picture and move across it. Or pick one of these.',
    keys: 'With the keyboard: Tab to the curve, left and right choose a step, up and down move it.',
    choices: 'Four curves to pick from',
    point: (step: number) => `Your curve at step ${step}`,
    value: percent,
    chart: (line: string) => `Your prediction: ${line.toLowerCase()}`,
    empty: 'Draw here',
    step: (step: number) => `step ${step}`,
    clear: 'Clear',
    ready: 'Train it',
    first: 'Draw a curve or pick one first.',
    wiped: 'Predict again',
  },
  run: {
    seed: 'Seed',
    seedHelp: 'Another seed is another roll of the dice: the same experiment with other questions and other tries.',
    state: {
      opening: 'The training engine is being opened.',
      training: 'A small network is really trained here, in this tab.',
      stopped: (reason: string) => `Training stopped: ${reason}`,
      done: 'Done.',
    },
    progress: (step: number, steps: number) => `step ${step} of ${steps}`,
    stop: 'Stop',
    again: 'Train it again',
    other: 'With the next seed',
    /** Said to screen readers when it is over. */
    over: 'The training is done. Your prediction and the result stand over one another.',
    noPoint: 'The first update is on its way.',
  },
  reveal: {
    chart: 'Your prediction and what came',
    caption: 'Share of the rollouts of each step',
    fact: 'Share in each step of training',
    counted: 'Mean over the rollouts of each step',
    groups: 'Share of the groups of each step',
    heldOut: 'Share of new tasks, measured every few steps',
    predicted: 'You predicted',
    short: 'you',
    of: (line: string, run: string) => `${line}: ${run}`,
    end: (step: number, drawn: number, came: number) =>
      `At step ${step} you drew ${percent(drawn)}, and ${percent(came)} came.`,
    apart: (points: number) =>
      points < 10
        ? `On average your curve is ${points} points away from the result: very near.`
        : `On average your curve is ${points} points away from the result.`,
    shown: 'What this experiment shows',
    unmet: 'Not so this time.',
    held: (held: number, seeds: number) => `Of the seeds 1 to ${seeds}, ${held} showed it.`,
    measured: (value: number, share: boolean) => `Here: ${share ? percent(value) : value.toFixed(2)}.`,
    sized:
      'The address asks for other sizes of updates than the lesson’s own: what it says of seeds was not measured with these.',
    why: 'What the run itself says',
    /** Which run sentences are about. */
    ofRun: (label: string) => `${label}:`,
    paid: 'Here “paid” is what the rule made of the pay: above zero is praise, below zero is blame.',
    playground: 'Open this run in the Playground',
  },
  exercise: {
    wait: 'The exercise is made from a group of your own run. Train it first.',
    none: 'No group of this run has anything to ask about: in each, all rollouts earned the same. Train it with another seed for an exercise.',
    group: (step: number, count: number) => `Step ${step} of your run: ${count} tries at one question.`,
    rollout: 'Try',
    searched: 'Searched?',
    first: 'Paid for turn 1',
    outcome: 'Paid at the end',
    yes: 'yes',
    no: 'no',
    ask: (rollout: number, turn: number) => `Advantage of try ${rollout}, turn ${turn}`,
    check: 'Check',
    right: 'Right.',
    near: 'Right, but for rounding.',
    wrong: 'Not yet.',
    empty: 'Write a number, such as −0.5.',
    hint: 'A hint',
    hintText:
      'Take the mean of the column. Take the standard deviation of the column: add up the squared distances from the mean, divide by the number of tries less one, and take the root. Subtract the mean from the number of your try, and divide by the standard deviation.',
    sumHint:
      'Add up both columns for every try first. Then take the mean of the sums away from the sum of your try, and divide by the standard deviation of the sums: add up the squared distances from the mean, divide by the number of tries less one, and take the root.',
    sum: 'Sum of both columns',
    // Praise or blame.
    askUnder: (rollout: number, rule: string) => `Turn 1 of try ${rollout} under ${rule}`,
    praise: 'praised',
    neither: 'neither',
    blame: 'blamed',
    pick: 'Pick one',
    unpicked: 'Pick one first.',
    praiseHint:
      'Find what each rule compares, and what your try has of it. Above the mean of the others it is compared with is praise, below is blame. Where all have the same, it is neither; nor is it where praise and blame cancel out.',
    // Programs.
    program: 'Tests that its first program passes',
    later: 'Tests that its second programs pass',
    passes: (passed: number, all: number) => `${passed} of ${all}`,
    tests: (passed: number) => String(passed),
    nothing: '–',
    askWorth: (rollout: number) => `What the first program of try ${rollout} is worth, R̂`,
    worth: 'Worth of the first programs',
    bestHint:
      'A program’s own reward is the share of the tests that it passes: 7 of 10 is 0.7. Its worth is the largest of its own reward and the rewards of the programs that came from it. For the advantage, take the mean of the worths of the first programs away, and divide by their standard deviation.',
    meanHint:
      'A program’s own reward is the share of the tests that it passes: 7 of 10 is 0.7. Take the mean of the rewards of the programs that came from it, times 0.9. Add its own reward, and divide by 2. A program without later ones is worth its own reward. For the advantage, take the mean of the worths of the first programs away, and divide by their standard deviation.',
    test: 'Test',
    passing: 'Programs that pass it',
    weight: 'Weight',
    passedBy: (program: string) => `Does ${program} pass it?`,
    askRate: (test: number) => `Share of the programs that pass test ${test}`,
    askEarned: (program: string) => `What program ${program} earns for its tests`,
    askProgram: (program: string) => `Advantage of program ${program}`,
    testsHint:
      'The share of a test: the programs that pass it, divided by all programs. What a program earns: add up the weights of the tests that it passes. Its advantage is the sum of two differences: what it earned less the mean of what all programs earned, and what its try earned at the end less the mean of all tries.',
    means: (turns: string, own: string, ends: string) =>
      `All programs earned ${turns} for their tests on average. This try earned ${own} at the end, all tries ${ends} on average.`,
    // Tokens.
    place: 'No.',
    token: 'Token',
    value: 'Expected, V',
    paid: 'Paid here',
    askToken: (place: number, token: string) => `Advantage of token ${place}, ${token}`,
    stepHint:
      'With λ = 0: what is paid at the token, plus what the critic expects at the next token, less what it expects at this one. Behind the last token it expects 0.',
    waitHint:
      'With λ = 1: everything that is paid from this token on to the end, less what the critic expects at this token. What it expects later does not matter.',
    gaeHint: (lambda: number) =>
      `Begin at the last token. Its surprise is what it is paid less what the critic expected. Every token before has its own surprise (paid here, plus expected next, less expected here) and ${lambda} times the advantage of the token behind it.`,
    answer: 'Show how it is worked out',
    numbers: (column: string, mean: string, deviation: string) =>
      `${column}: mean ${mean}, standard deviation ${deviation}.`,
  },
} as const;
