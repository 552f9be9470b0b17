import {
  ABLATION,
  beats,
  type ClaimTest,
  type Experiment,
  HEADLINE,
  keeps,
  type RunValue,
  type Side,
  side,
} from '../claim.ts';

// What the claims about this environment ask of the numbers.

const MT_GRPO = side('mt-grpo');
export const MT_PPO = side('mt-ppo');
const GRPO_MR = side('grpo-mr');
const PPO_MR = side('ppo-mr');

export const TOOL = { end: 'toolUse' } as const;
export const NEW = { measured: 'answer' } as const;
const AREA = { mean: 'answer' } as const;

const RULES = ['grpo-or', 'grpo-mr', 'mt-grpo', 'ppo-or', 'ppo-mr', 'mt-ppo'] as const;
const STEPS = 120;
/** Several hops are read later than one. */
const HOP_STEPS = 150;
/** Of a share: a tenth of the tool use, two points of the answers. */
export const TOOL_MARGIN = 0.1;
export const ANSWER_MARGIN = 0.02;

export const SMALL =
  'A policy of 108,800 parameters asks a synthetic encyclopaedia of 384 facts; the paper trains 7B parameters on Wikipedia.';

export const inWorld = (world: 'shortcut' | 'open', tests: readonly ClaimTest[]): Experiment => ({
  ...{ name: world, environment: 'search', world, arms: RULES, steps: STEPS, tests },
  ...HEADLINE,
});

/** Where memory always pays more: the tool is what new questions need, and training does not ask for them. */
export const takesTheShortcut = (rule: string, title: string): ClaimTest => ({
  kind: 'seeds',
  rule,
  statement: `${title} takes the shortcut: tool use ends below 0.05, right answers to new questions below 0.15`,
  share: 9 / 10,
  ends: { toolUse: { below: 0.05 } },
  measured: { answer: { below: 0.15 } },
});

export const losesTheTool = (rule: string, title: string): ClaimTest => ({
  kind: 'seeds',
  rule,
  statement: `${title} loses the tool: tool use ends below 0.05, answers end between 0.30 and 0.55`,
  share: 4 / 5,
  ends: { toolUse: { below: 0.05 }, answer: { from: 0.3, to: 0.55 } },
});

export const learnsToRead = (rule: string, title: string): ClaimTest => ({
  kind: 'seeds',
  rule,
  statement: `${title} keeps the tool and learns to read: tool use ends above 0.95, answers above 0.80`,
  share: 1,
  ends: { toolUse: { above: 0.95 }, answer: { above: 0.8 } },
});

export const keepsTheTool = (rule: string, title: string): readonly ClaimTest[] => [
  {
    kind: 'seeds',
    rule,
    statement: `${title} keeps the tool: tool use ends above 0.95`,
    share: 1,
    ends: { toolUse: { above: 0.95 } },
  },
  {
    kind: 'seeds',
    rule,
    statement: `${title} answers new questions: above 0.45 right`,
    share: 8 / 10,
    measured: { answer: { above: 0.45 } },
  },
];

/** Tool use ends below where it began, by more than half of it. */
export const falls = (rule: string, title: string): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: 0.25, higher: side(rule), lower: side(rule), of: { start: 'toolUse' } },
  ...{ statement: `${title}: tool use ends more than 25 points below where it began`, lowerOf: TOOL },
});

export const stays = (rule: string, title: string): ClaimTest => ({
  ...{ kind: 'paired', asks: 'keeps', margin: 0.05, higher: side(rule), lower: side(rule), of: TOOL },
  ...{ statement: `${title}: tool use ends no lower than it began`, lowerOf: { start: 'toolUse' } },
});

export const separate = [
  beats('MT-GRPO uses the tool more than GRPO-MR', MT_GRPO, GRPO_MR, TOOL, TOOL_MARGIN),
  beats('MT-GRPO answers more new questions than GRPO-MR', MT_GRPO, GRPO_MR, NEW, ANSWER_MARGIN),
  beats('MT-GRPO answers more over training than GRPO-MR', MT_GRPO, GRPO_MR, AREA, ANSWER_MARGIN),
  beats('MT-PPO uses the tool more than PPO-MR', MT_PPO, PPO_MR, TOOL, TOOL_MARGIN),
  beats('MT-PPO answers more new questions than PPO-MR', MT_PPO, PPO_MR, NEW, ANSWER_MARGIN),
  beats('MT-PPO answers more over training than PPO-MR', MT_PPO, PPO_MR, AREA, ANSWER_MARGIN),
];

/** Updates until four answers in five of the best arms' end are right: .76 of .95. */
const READS = { curve: 'answer', within: 0.76 } as const;
export const sooner = (than: string, title: string): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: 3, unit: 'updates', higher: side(than), lower: MT_PPO, of: READS },
  statement: `MT-PPO gets there in fewer updates than ${title}`,
});

const FORMAT = { measured: 'format' } as const;
const formatted = (one: string, others: readonly (readonly [string, string])[], title: string): readonly ClaimTest[] =>
  others.map(([rule, other]) =>
    beats(`${title} writes more well-formed answers than ${other}`, side(one), side(rule), FORMAT, 0.01),
  );
export const formats = [
  ...formatted(
    'mt-grpo',
    [
      ['grpo-or', 'GRPO-OR'],
      ['grpo-mr', 'GRPO-MR'],
    ],
    'MT-GRPO',
  ),
  ...formatted(
    'mt-ppo',
    [
      ['ppo-or', 'PPO-OR'],
      ['ppo-mr', 'PPO-MR'],
    ],
    'MT-PPO',
  ),
];

const PPO_OR = side('ppo-or');
const hopsOf = (hops: number) => (hops === 1 ? 'one hop' : `${hops} hops`);

const GAIN = { kind: 'paired', asks: 'more', higher: MT_PPO, lower: PPO_OR, of: NEW, margin: ANSWER_MARGIN } as const;

/** The gain of turn rewards where questions need so many hops, held against that of one hop less. */
export const inHops = (hops: number): Experiment => ({
  ...{ name: hopsOf(hops), environment: 'search', world: 'open', settings: { hops, maxTurns: 4 }, steps: HOP_STEPS },
  arms: ['mt-ppo', 'ppo-or'],
  ...HEADLINE,
  tests: [
    { ...GAIN, statement: `With ${hopsOf(hops)} MT-PPO answers more new questions than PPO-OR` },
    ...(hops === 1 ? [] : [growth(hops)]),
  ],
});

const growth = (hops: number): ClaimTest => ({
  ...{ ...GAIN, statement: `With ${hopsOf(hops)} that gain is larger than with ${hopsOf(hops - 1)}` },
  less: { higher: MT_PPO, lower: PPO_OR, in: hopsOf(hops - 1) },
});

export const FREE = side('mt-ppo', { searchCost: 0 });

/** GRPO-OR where every outcome is the same, by its name as an arm: nothing is paid, without a KL term and with one. */
export const UNPAID = 'grpo-or:klCoef=0:outcomeMalformed=1:outcomeRight=1:outcomeWrong=1';
export const UNPAID_KL = 'grpo-or:klCoef=0.05:outcomeMalformed=1:outcomeRight=1:outcomeWrong=1';

export const forgets = (to: string, title: string): ClaimTest => ({
  ...{ kind: 'switch', from: 'mt-grpo', to, since: 60, metric: 'toolUse', within: 120, share: 4 / 5 },
  statement: `${title}, once nothing is paid: tool use falls below 0.80 within 120 updates`,
  bounds: { below: 0.8 },
});

/** Credit of first turns in groups whose outcomes tie: an advantage of a group is about 1 in size. */
const IN_TIES = { mean: 'creditInTies' } as const;
const A_SIGNAL = 0.1;

export const inTies = (world: 'shortcut' | 'open'): Experiment => ({
  ...{ name: world, environment: 'search', world, arms: ['grpo-or', 'grpo-mr', 'mt-grpo'], steps: 40 },
  ...ABLATION,
  tests: [
    beats('Outcomes tie in more than a tenth of the groups under MT-GRPO', MT_GRPO, 0, { mean: 'tied' }, 0.1),
    beats(
      'Under MT-GRPO turn 1 gets more credit there than under GRPO-OR',
      MT_GRPO,
      side('grpo-or'),
      IN_TIES,
      A_SIGNAL,
    ),
    beats('Under GRPO-OR turn 1 gets none there', A_SIGNAL, side('grpo-or'), IN_TIES, 0),
    beats('Under GRPO-MR turn 1 gets none there', A_SIGNAL, GRPO_MR, IN_TIES, 0),
  ],
});

/** Rollouts of a question, and of an update. */
const ROLLOUTS = { mean: 'rollouts' } as const;
const OF_AN_UPDATE = { mean: 'rollouts', times: 'questions' } as const;

/** No arm takes more rollouts than the other, by half a rollout. */
const asMany = (statement: string, higher: Side, lower: Side, of: RunValue): ClaimTest => ({
  ...{ kind: 'paired', asks: 'keeps', margin: 0.5, unit: 'rollouts', statement, higher, lower, of },
});

export const inTwoTurns: Experiment = {
  ...{ name: 'two turns', environment: 'search', world: 'open', arms: ['mt-grpo', 'mt-grpo-exact'], steps: 40 },
  ...ABLATION,
  tests: [
    asMany(
      'With two turns the exact form takes no more rollouts of a question than chains',
      MT_GRPO,
      side('mt-grpo-exact'),
      ROLLOUTS,
    ),
    keeps('With two turns it uses the tool as they do', side('mt-grpo-exact'), MT_GRPO, TOOL, ANSWER_MARGIN),
  ],
};

const CHAINS = side('mt-grpo', { absent: 'zero' });
const LONG_GROUPS = side('mt-grpo', { absent: 'zero', groupSize: 16, questions: 8 });
const TREES = side('mt-grpo-exact', { absent: 'zero', groupSize: 4, questions: 8 });

/** G = 4 and K = 3: G^(K-1) = 16 rollouts a question at most, 128 an update, as 16 groups of 8 chains and 8 of 16. */
export const inThreeTurns: Experiment = {
  ...{ name: 'three turns', environment: 'search', world: 'open', settings: { maxTurns: 3 }, steps: 95 },
  arms: [
    'mt-grpo:absent=zero',
    'mt-grpo:absent=zero:groupSize=16:questions=8',
    'mt-grpo-exact:absent=zero:groupSize=4:questions=8',
  ],
  ...ABLATION,
  tests: [
    {
      ...{ kind: 'paired', asks: 'more', margin: 8, unit: 'rollouts', higher: TREES, lower: 4 },
      of: { mean: 'rollouts', part: 'last' },
      statement:
        'With three turns a question ends up costing more than three times G = 4 rollouts (G² = 16 where none stops early)',
    },
    asMany('It takes no more rollouts an update than chains', CHAINS, TREES, OF_AN_UPDATE),
    beats('It uses the tool more than chains of as many rollouts', TREES, CHAINS, TOOL, TOOL_MARGIN),
    beats('It answers more new questions than chains of as many rollouts', TREES, CHAINS, NEW, ANSWER_MARGIN),
    beats(
      'It answers more new questions than chains of as many rollouts and questions',
      TREES,
      LONG_GROUPS,
      NEW,
      ANSWER_MARGIN,
    ),
  ],
};
