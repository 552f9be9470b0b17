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
  caption: 'What each rule makes of the very same rollouts: yours from a file, or the group of the run.',
  drop: 'Drop logs of a trainer (TRL, verl, prime-rl, …), files of groups, or folders here, or',
  file: 'Choose files',
  folder: 'Choose a folder',
  reading: (name: string, groups: number) => `Reading ${name}: ${count(groups, 'group')}`,
  report: {
    title: 'What was read',
    flags: 'The flags are options of the terminal command “import”, which writes a file of groups.',
  },
  live: 'Take the group of the run',
  liveName: (group: string) => `the run, ${group}`,
  examples: 'Examples',
  examplesName: 'examples of the rules',
  private: 'Files stay on this device.',
  format: {
    title: 'What a file holds, and a sample',
    what:
      'One group of rollouts a line, as JSON: its name (id) and its turns, in the order in which they were played. A turn needs ' +
      'parent and reward; what a rule reads beside them is told where it cannot read a group. Further fields are kept and shown.',
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
    `${turns} turns are too many to draw (${most} at most); here they are in rows.`,
  emptyGroup: 'This group has no turns.',
  unreadable: 'No rule can read this group.',
  rule: 'Credit rule',
  parameters: (rule: string) => `${rule} parameters`,
  normalisation: 'Normalisation',
  cannotRead: (rules: number) =>
    rules === 1 ? '1 rule cannot read this group' : `${rules} rules cannot read this group`,
  table: 'Table',
  svg: 'SVG',
  csv: 'CSV',
  saveSvg: (title: string) => `SVG: ${title}`,
  columns: {
    title: 'Every rule on the same turns',
    caption: 'Advantages by rule. A dash: pruned. Choose a turn to see how it is worked out.',
    turn: 'Turn',
    reward: 'R',
    outcome: 'Rᴼ',
    summary: 'What it did',
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
    worked: (rule: string) => `How ${rule} works it out`,
    program: 'Program',
    tests: (passed: number, tests: number) => `Tests: ${passed} of ${tests} passed`,
    byModel: (reward: string, passed: number, tests: number) =>
      `The reward model pays ${reward}; ${passed} of ${tests} tests pass.`,
    reflection: 'Reflection: what it will change',
    feedback: 'Feedback',
    arguments: 'Arguments',
    wanted: 'Wanted',
    got: 'Got',
    result: 'Result',
    passed: '✓ passed',
    failed: '✗ failed',
    visible: 'Shown in evaluations',
    tested: 'The program that its tests are about',
    written: (agreeing: number, tests: number) => `Tests that it wrote: ${agreeing} of ${tests} right`,
    agrees: 'Right program passes it',
    yes: 'yes',
    no: 'no',
    tokens: 'Tokens, shaded by advantage',
    text: 'Text',
    call: 'Tool call',
    answer: 'Answer',
    nothing: 'nothing',
    wrong: 'not as in the right program',
    changed: 'put right by the policy',
    others: 'Other fields',
    more: 'more likely',
    less: 'less likely',
    bare: 'Nothing was recorded of this turn but its numbers.',
  },
  programs: {
    title: 'Attempts and what continued them',
    caption:
      'Left to right: a turn and the turns that go on from it. Colour and outline say what the update makes of each.',
    label: 'Turns of the group: arrow keys move',
    choose: 'Choose a turn to see its program, its tests and what the policy was told.',
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
      credited: 'R → what the rule credits the turn with',
    },
    creditedHead: 'Credited',
    parentHead: 'Continues',
    solvedHead: 'Solved',
  },
  weights: {
    title: 'What each unit test is worth',
    captions: {
      'difficulty-density':
        'Tests by the share of turns that pass them. Hard tests weigh more; tests that are alike share their weight.',
      difficulty: 'Tests by the share of turns that pass them. Hard tests weigh more: the weight is exp(−αρ).',
      'failure-rate': 'Tests by the share of turns that pass them. The weight is (1 − ρ)^α as a share of all tests.',
      'pass-rate': 'Tests by the share of turns that pass them. Every test weighs the same.',
      none: 'Tests by the share of turns that pass them. Turns earn nothing for them.',
    },
    axis: 'pass rate ρ',
    weightAxis: 'weight',
    densityAxis: 'tests alike, d',
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
    title: 'Where rollouts meet',
    caption:
      'Boxes are states with their value V and visits N, lines are actions. Width: rollouts that took the action. Higher: better endings.',
    label: 'Actions: arrow keys move',
    value: (value: string) => `V ${value}`,
    visits: (visits: number) => `N ${visits}`,
    state: (id: number) => `s${id}`,
    stateTold: (id: number, state: string, visits: number, value: string, single: boolean) =>
      `s${id}: ${state}\nV ${value}, ${count(visits, 'visit')}${single ? ', nothing to compare with' : ''}`,
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
    choose: 'Point at an action, or move to one with the arrow keys, to see its formula.',
    turns: 'Taken by',
    step: (rollout: number, step: number) => `rollout ${rollout}, step ${step}`,
    key: {
      solved: 'all solved',
      mixed: 'some solved',
      failed: 'none solved',
      incomplete: 'none solved, all cut off by the limit of steps',
      single: 'one visit: nothing to compare with',
    },
    heads: ['State', 'Action', 'N', 'Q', 'V', 'A', 'Solved', 'Failed', 'Leads to'],
    end: 'end',
    granularity: 'Two states are the same where',
    granularities: {
      history: 'all actions so far are (history)',
      paper: 'the operations on each file are (paper)',
      coarse: 'edits and test results are (coarse)',
      contents: 'the files and the last reply are (contents)',
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
    title: 'Where RTMC disagrees with GRPO',
    caption: 'Steps by the signs of their two advantages, in solved ✓ and failed ✗ rollouts.',
    unreadable: (problem: string) => `GRPO cannot read this group: ${problem}`,
    grpoMore: 'GRPO: more',
    grpoLess: 'GRPO: less',
    rtmcMore: 'RTMC: more',
    rtmcLess: 'RTMC: less',
    counts: (solved: number, failed: number) => `✓ ${solved} · ✗ ${failed}`,
    countsTold: (solved: number, failed: number) => `${solved} in solved and ${failed} in failed rollouts`,
    neither: (solved: number, failed: number) => `With an advantage of 0 under either: ✓ ${solved} · ✗ ${failed}`,
    names: {
      'both-more': 'both +',
      rescued: 'rescued',
      penalised: 'penalised',
      'both-less': 'both −',
      neither: 'neither',
    } as Readonly<Record<Quadrant, string>>,
  },
} as const;
