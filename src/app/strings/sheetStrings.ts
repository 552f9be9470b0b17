import type { Goal } from '../../lessons/sheets.ts';

const attempts = (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`);

/** Texts of the exercises with a table of a group of the user's run (src/app/lessons/sheets). */
export const sheetStrings = {
  wait: 'The exercise is made from groups of your run. Train first.',
  none: 'No group of this run has what the exercise asks about. Train with another seed.',
  hint: 'Hint',
  answer: 'Show the computation',
  check: 'Check',
  amounts: 'Try these amounts',
  right: 'Correct.',
  near: 'Correct (rounded).',
  wrong: 'Not correct yet.',
  empty: 'Write a number, such as −0.5.',
  unselected: 'Mark at least one item first.',
  met: 'Correct: these amounts meet the goal.',
  unmet: 'These amounts do not meet the goal.',
  range: (label: string, min: number, max: number) => `${label} has to be a number from ${min} to ${max}.`,
  picked: (wrong: number) => (wrong === 1 ? 'One mark is wrong.' : `${wrong} marks are wrong.`),
  tiedGroups: {
    caption: (count: number) => `${count} groups of your run, each a question with its attempts.`,
    group: 'Group',
    outcomes: 'Outcome rewards',
    mean: 'Mean',
    name: (index: number, step: number) => `${String.fromCharCode(65 + index)} (step ${step})`,
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
  alone: {
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
  worth: {
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
