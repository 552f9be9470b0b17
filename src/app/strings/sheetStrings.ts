import type { Goal } from '../../lessons/sheets.ts';

const tries = (count: number) => (count === 1 ? '1 try' : `${count} tries`);

/** Texts of the exercises that are made from a table of the reader's own groups (src/app/lessons/sheets). */
export const sheetStrings = {
  wait: 'The exercise is made from groups of your own run. Train it first.',
  none: 'No group of this run has what the exercise asks about. Train it with another seed for an exercise.',
  hint: 'A hint',
  answer: 'Show how it is worked out',
  check: 'Check',
  amounts: 'Try these amounts',
  right: 'Right.',
  near: 'Right, but for rounding.',
  wrong: 'Not yet.',
  empty: 'Write a number, such as −0.5.',
  unpicked: 'Mark something first.',
  met: 'Right: these amounts do it.',
  unmet: 'These amounts do not do it.',
  range: (label: string, min: number, max: number) => `${label} has to be a number from ${min} to ${max}.`,
  picked: (wrong: number) => (wrong === 1 ? 'One mark is wrong.' : `${wrong} marks are wrong.`),
  silent: {
    caption: (count: number) => `${count} groups of your own run, each a question with its tries.`,
    group: 'Group',
    outcomes: 'Paid at the end',
    mean: 'Mean',
    name: (index: number, step: number) => `${String.fromCharCode(65 + index)} (step ${step})`,
    paid: (counts: readonly (readonly [string, number])[]) =>
      counts.map(([paid, many]) => `${paid} to ${tries(many)}`).join(', '),
    ask: 'Mark every group that the rule is silent about.',
    worked: (name: string, silent: boolean, largest: number) =>
      silent
        ? `${name}: every try is paid the mean, so every advantage is 0.`
        : `${name}: the tries differ, and the largest advantage is ${largest.toFixed(2)}.`,
  },
  meeting: {
    caption: (step: number, visits: number, rollouts: number) =>
      `Step ${step} of your run. Here ${visits} of the ${rollouts} tries stood in the same state.`,
    rollout: 'Try',
    step: 'Its step',
    action: 'What it did there',
    rest: 'Paid from there on',
    askQ: (action: string) => `Q of “${action}”`,
    askV: 'V of the state',
    askA: (action: string) => `Advantage of “${action}”`,
    workedQ: (sum: string, count: number) => `Q = (${sum}) / ${count}`,
    workedV: (sum: string, kappa: string, share: string, visits: number) =>
      `V = (${sum} + ${kappa} · ${share}) / (${visits} + ${kappa})`,
    workedA: (q: string, v: string) => `A = ${q} − ${v}`,
    prior: (share: string, kappa: string) =>
      `Share of the tries that are solved: p = ${share}. Visits that p counts for: κ = ${kappa}.`,
  },
  alone: {
    caption: (step: number, rollout: number, rollouts: number) =>
      `Step ${step} of your run: the steps of try ${rollout} of ${rollouts}.`,
    step: 'Step',
    action: 'What it did',
    visitors: 'Tries here',
    ways: 'Actions here',
    name: (step: number) => `Step ${step}`,
    ask: 'Mark every step that gets no credit when κ is 0.',
    worked: (step: number, visitors: number, ways: number, silent: boolean, advantage: string) => {
      if (!silent) return `Step ${step}: ${visitors} tries and ${ways} actions. Its advantage is ${advantage}.`;
      if (visitors === 1) return `Step ${step}: nobody else came by, so Q = V.`;
      if (ways === 1) return `Step ${step}: ${visitors} tries, and all did the same, so Q = V.`;
      return `Step ${step}: the actions led to the same pay, so Q = V.`;
    },
  },
  worth: {
    caption: (step: number, question: string) => `Step ${step} of your run, ${question}. Each row is a try.`,
    rollout: 'Try',
    first: 'Turn 1',
    second: 'Turn 2',
    outcome: 'Paid at the end',
    askStart: 'Worth of the start, V',
    askFirst: (rollout: number) => `True advantage of try ${rollout}, turn 1`,
    askSecond: (rollout: number) => `True advantage of try ${rollout}, turn 2`,
    given: (behind: number, all: number) => `${behind} of the ${all} tries chose this first action.`,
    sum: (first: string, second: string, outcome: string, value: string) =>
      `Together: ${first} and ${second} make ${outcome} − ${value}, what the outcome was above the start.`,
  },
  pay: {
    caption: (step: number, rollouts: number) => `Step ${step} of your run: ${rollouts} tries at one question.`,
    rollout: 'Try',
    searches: 'Searches',
    found: 'of them found the answer',
    outcome: 'Paid at the end',
    ask: {
      further: 'Choose amounts with which every further search of this group earns more than 0.',
      once: 'Choose amounts with which every further search earns less than 0, and a first search that finds the answer still earns more than 0.',
    } satisfies Record<Goal, string>,
    parts: (further: number) => [
      'A search earns: call well-formed, plus answer retrieved where its document holds the answer, minus the search cost times its number in the try.',
      `Further searches in this group: ${further}.`,
    ],
    first: (paid: string) => `A first search that finds the answer earns ${paid}.`,
    further: (least: string, most: string) =>
      least === most ? `Every further search earns ${least}.` : `Further searches earn from ${least} to ${most}.`,
    example: (amounts: readonly string[]) => `For example ${amounts.join(', ')}.`,
    amount: (label: string, value: string) => `${label.toLowerCase()} ${value}`,
  },
} as const;
