import type { Quadrant } from '../inspector/rolloutGraph.ts';
import { judgedStrings } from './judgedStrings.ts';

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** How rollouts ended; those that a limit cut off are among the failed ones. */
interface Ended {
  readonly solved: number;
  readonly failed: number;
  readonly incomplete: number;
}

/** Texts of the Inspector and of the views of groups. They come with the panels that show them. */
export const inspectorStrings = {
  judged: judgedStrings,
  title: 'Inspector',
  caption: 'Advantages of every credit rule for the same rollouts: from a file, or from the group of the run.',
  drop: 'Drop logs of a trainer (TRL, verl, prime-rl, …), files of groups, or folders here, or',
  file: 'Choose files',
  folder: 'Choose a folder',
  reading: (name: string, groups: number) => `Reading ${name}: ${count(groups, 'group')}`,
  report: {
    title: 'What was read',
    flags: 'The flags are options of the terminal command “import”, which writes a file of groups.',
  },
  live: 'Open the group of the run',
  liveName: (group: string) => `the run, ${group}`,
  examples: 'Examples',
  examplesName: 'examples of the rules',
  private: 'Files stay on this device.',
  format: {
    title: 'What a file holds, and a sample',
    what:
      'One group of rollouts a line, as JSON: its name (id) and its turns, in their order. A turn needs ' +
      'parent and reward. If a rule cannot read a group, the page names the missing fields. Other fields are shown.',
    exampleLabel: 'Two lines of a file',
    example:
      '{"id": "question 1", "turns": [{"parent": -1, "reward": 0.5}, {"parent": 0, "reward": 0, "outcome": 1}]}\n' +
      '{"id": "question 2", "turns": [{"parent": -1, "reward": -0.2}, {"parent": 0, "reward": 0, "outcome": 0}]}',
    required: (meaning: string) => `needed; ${meaning}`,
    sample: 'Download a sample file',
    sampleFile: 'turnwise-sample.jsonl',
  },
  summary: (name: string, groups: number, turns: number) =>
    `${name}: ${count(groups, 'group')}, ${count(turns, 'turn')}`,
  /** A problem of a single file begins with its name. */
  refused: (name: string, problem: string) =>
    `${name} was not opened: ${problem.startsWith(name) ? problem.slice(name.length).replace(/^[,:] /, '') : problem}`,
  kept: (name: string) => `Still shown: ${name}.`,
  group: 'Group',
  groupOf: (groups: number) => `of ${groups}`,
  previous: 'Previous group',
  next: 'Next group',
  view: 'View',
  views: { programs: 'Trees of turns', states: 'Tree of states', turns: 'Turns only' },
  tooLarge: (turns: number, most: number) =>
    `${turns} turns are too many to draw (${most} at most); the table shows them.`,
  emptyGroup: 'This group has no turns.',
  unreadable: 'No rule can read this group.',
  rule: 'Credit rule',
  parameters: (rule: string) => `${rule} parameters`,
  normalisation: 'Normalisation',
  cannotRead: (rules: number) =>
    rules === 1 ? '1 rule cannot read this group' : `${rules} rules cannot read this group`,
  missing: {
    add: 'Fields to add:',
    rules: (titles: readonly string[]) =>
      `${titles.join(', ')} ${titles.length === 1 ? 'reads' : 'read'} ${titles.length === 1 ? 'it' : 'them'}`,
  },
  table: 'Table',
  svg: 'SVG',
  csv: 'CSV',
  saveSvg: (title: string) => `SVG: ${title}`,
  columns: {
    title: 'Every rule on the same turns',
    caption: 'Advantages by rule. A dash: pruned. Select a turn to see its computation.',
    turn: 'Turn',
    reward: 'R',
    outcome: 'Rᴼ',
    summary: 'Text or summary',
    select: (turn: number) => `Turn ${turn}`,
    all: (turns: number) => `Show all ${turns} turns`,
    continues: (parent: number) => `continues turn ${parent}`,
  },
  turn: {
    title: (turn: number) => `Turn ${turn}`,
    first: 'first turn',
    continues: (parent: number) => `continues turn ${parent}`,
    reward: 'reward',
    outcome: 'outcome',
    advantage: (rule: string) => `A under ${rule}`,
    solved: '✓ solved',
    unsolved: '✗ not solved',
    pruned: 'pruned: not trained on',
    worked: (rule: string) => `Computation of ${rule}`,
    program: 'Program',
    tests: (passed: number, tests: number) => `Tests: ${passed} of ${tests} passed`,
    byModel: (reward: string, passed: number, tests: number) =>
      `Reward of the model: ${reward}; ${passed} of ${tests} tests pass.`,
    reflection: 'Reflection',
    feedback: 'Feedback',
    arguments: 'Arguments',
    wanted: 'Wanted',
    got: 'Got',
    result: 'Result',
    passed: '✓ passed',
    failed: '✗ failed',
    visible: 'Shown in evaluations',
    tested: 'Program under test',
    written: (agreeing: number, tests: number) => `Written tests: ${agreeing} of ${tests} correct`,
    agrees: 'Correct program passes it',
    yes: 'yes',
    no: 'no',
    tokens: 'Tokens, shaded by advantage',
    text: 'Text',
    call: 'Tool call',
    answer: 'Answer',
    nothing: 'nothing',
    wrong: 'differs from the correct program',
    changed: 'corrected by the policy',
    others: 'Other fields',
    more: 'more likely',
    less: 'less likely',
    bare: 'This turn has numbers only.',
  },
  programs: {
    title: 'Attempts and their continuations',
    caption: 'Left to right: a turn and the turns that continue it. Colour and outline show the advantage.',
    label: 'Turns of the group: arrow keys move',
    choose: 'Select a turn to see its program, tests and feedback.',
    nodeReward: (reward: string) => `R ${reward}`,
    nodeCredited: (reward: string, credited: string) => `R ${reward} → ${credited}`,
    nodeAdvantage: (advantage: string) => `A ${advantage}`,
    pruned: 'pruned',
    number: (turn: number) => `#${turn}`,
    told: (turn: number, parent: number, reward: string, credited: string, advantage: string, ending: string) =>
      `Turn ${turn}${parent < 0 ? '' : `, continues turn ${parent}`}: reward ${reward}${credited}, ${advantage}${ending}`,
    creditedTold: (credited: string) => `, credited ${credited}`,
    advantageTold: (advantage: string) => `advantage ${advantage}`,
    prunedTold: 'pruned',
    close: 'Close',
    closeTold: (turn: number) => `Close turn ${turn}`,
    solvedTold: ', solved',
    key: {
      more: 'more likely (solid outline)',
      less: 'less likely (dashed outline)',
      even: 'unchanged',
      pruned: 'pruned',
      solved: '✓ solved',
      credited: 'R → reward after the rule’s redistribution',
    },
    creditedHead: 'Credited',
    parentHead: 'Continues',
    solvedHead: 'Solved',
  },
  weights: {
    title: 'Weights of the unit tests',
    captions: {
      'difficulty-density':
        'Tests by the share of turns that pass them. Hard tests weigh more; tests with similar pass rates share their weight.',
      difficulty: 'Tests by the share of turns that pass them. Hard tests weigh more: the weight is exp(−αρ).',
      'failure-rate': 'Tests by the share of turns that pass them. The weight is (1 − ρ)^α as a share of all tests.',
      'pass-rate': 'Tests by the share of turns that pass them. Every test weighs the same.',
      none: 'Tests by the share of turns that pass them. Turns earn nothing for them.',
    },
    axis: 'pass rate ρ',
    weightAxis: 'weight',
    densityAxis: 'similar tests, d',
    label: 'Tests by pass rate: arrow keys move',
    passRate: 'pass rate',
    difficulty: 'weight of difficulty w',
    failure: '(1 − ρ)^α',
    weight: 'final weight',
    density: 'density d of the tests',
    bandwidth: (sigma: string) => `σ = ${sigma}`,
    tests: (tests: readonly number[]) =>
      `${tests.length === 1 ? 'Test' : 'Tests'} ${tests.map((test) => test + 1).join(', ')}`,
    told: (tests: string, columns: readonly (readonly [name: string, value: string])[]) =>
      `${tests}: ${columns.map((column) => column.join(' ')).join(', ')}`,
    many: (tests: number) => `×${tests}`,
    test: 'Test',
  },
  states: {
    title: 'Shared states',
    caption:
      'Boxes are states with their value V and visits N, lines are actions. Width: rollouts that took the action. Higher: better outcomes.',
    label: 'Actions: arrow keys move',
    value: (value: string) => `V ${value}`,
    visits: (visits: number) => `N ${visits}`,
    state: (id: number) => `s${id}`,
    stateTold: (id: number, state: string, visits: number, value: string, single: boolean) =>
      `s${id}: ${state}\nV ${value}, ${count(visits, 'visit')}${single ? ', no other visit' : ''}`,
    edgeTold: (state: number, action: string, visits: number, q: string, advantage: string, ended: string) =>
      `In s${state}, ${action}: N ${visits}, Q ${q}, A ${advantage}, ${ended}`,
    ended: ({ solved, failed, incomplete }: Ended) =>
      [
        `${solved} solved`,
        `${failed - incomplete} failed`,
        ...(incomplete > 0 ? [`${incomplete} cut off by the limit`] : []),
      ].join(', '),
    ends: ({ solved, failed, incomplete }: Ended) =>
      [
        solved > 0 ? `✓${solved}` : '',
        failed > incomplete ? `✗${failed - incomplete}` : '',
        incomplete > 0 ? `…${incomplete}` : '',
      ]
        .filter(Boolean)
        .join(' '),
    formula: 'Formula of the action',
    choose: 'Point at an action, or select one with the arrow keys, to see its formula.',
    turns: 'Taken by',
    step: (rollout: number, step: number) => `rollout ${rollout}, step ${step}`,
    key: {
      solved: 'all solved',
      mixed: 'some solved',
      failed: 'none solved',
      incomplete: 'none solved, all cut off by the limit of steps',
      single: 'one visit: no comparison',
    },
    heads: ['State', 'Action', 'N', 'Q', 'V', 'A', 'Solved', 'Failed', 'Leads to'],
    end: 'end',
    granularity: 'Two states are equal if',
    granularities: {
      history: 'all actions so far are equal (history)',
      paper: 'the operations on each file are equal (paper)',
      coarse: 'edits and test results are equal (coarse)',
      contents: 'the files and the last reply are equal (contents)',
    } as Readonly<Record<string, string>>,
    recordedStates: (title: string) => `${title}, as recorded`,
  },
  strips: {
    title: 'Step by step',
    caption: 'Advantages of each step under three rules.',
    rollout: (rollout: number, ended: string) => `Rollout ${rollout}: ${ended}`,
    solved: '✓ solved',
    failed: '✗ failed',
    step: 'Step',
    action: 'Action',
    grpo: 'GRPO',
    grpoStep: 'GRPO + step',
    rtmc: 'RTMC',
    open: (step: number, action: string) => `Step ${step}: ${action}`,
    close: 'Close',
  },
  quadrants: {
    title: 'Signs under RTMC and GRPO + step',
    caption: 'Share of the steps of solved ✓ and of failed ✗ rollouts, by the signs of their two advantages.',
    unreadable: (problem: string) => `A rule cannot read this group: ${problem}`,
    grpoMore: 'GRPO + step: more',
    grpoLess: 'GRPO + step: less',
    rtmcMore: 'RTMC: more',
    rtmcLess: 'RTMC: less',
    none: '–',
    counts: (solved: string, failed: string) => `✓ ${solved} · ✗ ${failed}`,
    sharesTold: (solved: string, failed: string) => `${solved} of the steps of solved, ${failed} of failed rollouts`,
    countsTold: (solved: number, failed: number) => `${solved} in solved and ${failed} in failed rollouts`,
    neither: (solved: string, failed: string) => `Advantage below 0.000001 under either: ✓ ${solved} · ✗ ${failed}`,
    names: {
      'both-more': 'both +',
      rescued: 'rescued',
      penalised: 'penalised',
      'both-less': 'both −',
      neither: 'neither',
    } as Readonly<Record<Quadrant, string>>,
  },
} as const;
