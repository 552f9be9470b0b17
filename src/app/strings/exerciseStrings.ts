import type { Goal } from '../../lessons/lesson.ts';

const attempts = (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`);

/** Texts of the exercises on groups of the user's run (src/app/lessons/exercises). The lessons have the hints. */
export const exerciseStrings = {
  none: 'No group of this run has what the exercise asks about. Train with another seed.',
  hint: 'Hint',
  answer: 'Show the computation',
  check: 'Check',
  amounts: 'Try these amounts',
  right: 'Correct.',
  near: 'Correct (rounded).',
  wrong: 'Not correct yet.',
  empty: 'Write a number, such as −0.5.',
  unselected: 'Pick one first.',
  met: 'Correct: these amounts meet the goal.',
  unmet: 'These amounts do not meet the goal.',
  range: (label: string, min: number, max: number) => `${label} has to be a number from ${min} to ${max}.`,
  picked: (wrong: number) => (wrong === 1 ? 'One mark is wrong.' : `${wrong} marks are wrong.`),
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
  sum: 'Sum of both columns',
  // Exercise on the sign of an advantage: more likely or less likely.
  questionUnderRule: (rollout: number, rule: string) => `Turn 1 of attempt ${rollout} under ${rule}`,
  moreLikely: 'more likely',
  noChange: 'neither',
  blame: 'less likely',
  pick: 'Pick one',
  // Exercises on programs.
  program: 'Tests that its first program passes',
  secondPrograms: 'Tests that its second programs pass',
  passes: (passed: number, all: number) => `${passed} of ${all}`,
  nothing: '–',
  questionValue: (rollout: number) => `Value of the first program of attempt ${rollout}, R̂`,
  firstValues: 'Values of the first programs',
  test: 'Test',
  passing: 'Programs that pass it',
  weight: 'Weight',
  passedBy: (program: string) => `Does ${program} pass it?`,
  questionRate: (test: number) => `Share of the programs that pass test ${test}`,
  questionReward: (program: string) => `Reward of program ${program} for its tests`,
  questionProgram: (program: string) => `Advantage of program ${program}`,
  means: (turns: string, outcome: string, ends: string) =>
    `Mean reward of all programs for their tests: ${turns}. Outcome of this attempt: ${outcome}. Mean outcome of all attempts: ${ends}.`,
  // Exercises on tokens.
  numberHead: 'No.',
  token: 'Token',
  value: 'Value, V',
  rewardHead: 'Reward',
  questionToken: (position: number, token: string) => `Advantage of token ${position}, ${token}`,
  numbers: (column: string, mean: string, deviation: string) =>
    `${column}: mean ${mean}, standard deviation ${deviation}.`,
  tiedGroups: {
    caption: (count: number) => `${count} groups of your run, each a question with its attempts.`,
    group: 'Group',
    outcomes: 'Outcome rewards',
    mean: 'Mean',
    name: (index: number, step: number) => `${String.fromCharCode(65 + index)} (update ${step + 1})`,
    rewardCounts: (counts: readonly (readonly [string, number])[]) =>
      counts.map(([outcome, many]) => `${attempts(many)} earned ${outcome}`).join(', '),
    question: 'Mark every group in which the rule gives no advantage.',
    solutionText: (name: string, isTied: boolean, largest: number) =>
      isTied
        ? `${name}: every reward equals the mean, so every advantage is 0.`
        : `${name}: the rewards differ, and the largest advantage is ${largest.toFixed(2)}.`,
  },
  meeting: {
    caption: (step: number, visits: number, rollouts: number) =>
      `Update ${step + 1} of your run. ${visits} of the ${rollouts} attempts reached the same state.`,
    rollout: 'Attempt',
    step: 'Step',
    action: 'Action',
    rest: 'Return',
    questionQ: (action: string) => `Q of “${action}”`,
    questionV: 'V of the state',
    questionA: (action: string) => `Advantage of “${action}”`,
    derivedQ: (sum: string, count: number) => `Q = (${sum}) / ${count}`,
    derivedV: (sum: string, kappa: string, share: string, visits: number) =>
      `V = (${sum} + ${kappa} · ${share}) / (${visits} + ${kappa})`,
    derivedA: (q: string, v: string) => `A = ${q} − ${v}`,
    prior: (share: string, kappa: string) =>
      `Share of attempts that solve the task: p = ${share}. Visits that p counts for: κ = ${kappa}.`,
  },
  withoutCredit: {
    caption: (step: number, rollout: number, rollouts: number) =>
      `Update ${step + 1} of your run: the steps of attempt ${rollout} of ${rollouts}.`,
    step: 'Step',
    action: 'Action',
    visitors: 'Attempts here',
    actionCount: 'Actions here',
    name: (step: number) => `Step ${step}`,
    question: 'Mark every step that gets no credit when κ is 0.',
    solutionText: (step: number, visitors: number, actionCount: number, hasNoCredit: boolean, advantage: string) => {
      if (!hasNoCredit)
        return `Step ${step}: ${visitors} attempts and ${actionCount} actions. Its advantage is ${advantage}.`;
      if (visitors === 1) return `Step ${step}: one visit, so Q = V.`;
      if (actionCount === 1) return `Step ${step}: ${visitors} attempts with the same action, so Q = V.`;
      return `Step ${step}: the actions led to the same rewards, so Q = V.`;
    },
  },
  stateValue: {
    caption: (step: number, question: string) => `Update ${step + 1} of your run, ${question}. Each row is an attempt.`,
    rollout: 'Attempt',
    first: 'Turn 1',
    second: 'Turn 2',
    outcome: 'Outcome reward',
    questionStart: 'Value of the start, V',
    questionFirst: (rollout: number) => `True advantage of attempt ${rollout}, turn 1`,
    questionSecond: (rollout: number) => `True advantage of attempt ${rollout}, turn 2`,
    given: (matches: number, all: number) => `${matches} of the ${all} attempts chose this first action.`,
    sum: (first: string, second: string, outcome: string, value: string) =>
      `The sum of ${first} and ${second} is ${outcome} − ${value}: the outcome minus the value of the start.`,
  },
  pay: {
    caption: (step: number, rollouts: number) =>
      `Update ${step + 1} of your run: ${rollouts} attempts at one question.`,
    rollout: 'Attempt',
    searches: 'Searches',
    found: 'Searches that found the answer',
    outcome: 'Outcome reward',
    question: {
      further: 'Choose amounts with which every further search of this group earns more than 0.',
      once: 'Choose amounts with which every further search earns less than 0, and a first search that finds the answer still earns more than 0.',
    } satisfies Record<Goal, string>,
    parts: (further: number) => [
      'Reward of a search: call well-formed, plus answer retrieved if its document contains the answer, minus search cost times the number of the search in the attempt.',
      `Further searches in this group: ${further}.`,
    ],
    first: (reward: string) => `A first search that finds the answer earns ${reward}.`,
    further: (least: string, maximum: string) =>
      least === maximum ? `Every further search earns ${least}.` : `Further searches earn from ${least} to ${maximum}.`,
    example: (amounts: readonly string[]) => `For example ${amounts.join(', ')}.`,
    amount: (label: string, value: string) => `${label.toLowerCase()} ${value}`,
  },
} as const;
