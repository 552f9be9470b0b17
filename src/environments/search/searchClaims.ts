import { ABLATION, beats, type Claim, type ClaimTest, type Experiment, HEADLINE, side } from '../claim.ts';

// The claims of the paper on turn-level rewards, as this environment can show them.

const MT_GRPO = side('mt-grpo');
const MT_PPO = side('mt-ppo');
const GRPO_MR = side('grpo-mr');
const PPO_MR = side('ppo-mr');

const TOOL = { end: 'toolUse' } as const;
const NEW = { measured: 'answer' } as const;
const AREA = { mean: 'answer' } as const;

const RULES = ['grpo-or', 'grpo-mr', 'mt-grpo', 'ppo-or', 'ppo-mr', 'mt-ppo'] as const;
const STEPS = 120;
/** Of a share: a tenth of the tool use, two points of the answers. */
const TOOL_MARGIN = 0.1;
const ANSWER_MARGIN = 0.02;

const SMALL =
  'A policy of 108,800 parameters asks a synthetic encyclopaedia of 384 facts; the paper trains 7B parameters on Wikipedia.';

const inWorld = (world: 'shortcut' | 'open', tests: readonly ClaimTest[]): Experiment => ({
  ...{ name: world, environment: 'search', world, arms: RULES, steps: STEPS, tests },
  ...HEADLINE,
});

/** Where memory always pays more: the tool is what new questions need, and training does not ask for them. */
const takesTheShortcut = (rule: string, title: string): ClaimTest => ({
  kind: 'seeds',
  rule,
  statement: `${title} takes the shortcut: tool use ends below 0.05, right answers to new questions below 0.15`,
  share: 9 / 10,
  ends: { toolUse: { below: 0.05 } },
  measured: { answer: { below: 0.15 } },
});

const losesTheTool = (rule: string, title: string): ClaimTest => ({
  kind: 'seeds',
  rule,
  statement: `${title} loses the tool: tool use ends below 0.05, answers end between 0.30 and 0.55`,
  share: 4 / 5,
  ends: { toolUse: { below: 0.05 }, answer: { from: 0.3, to: 0.55 } },
});

const learnsToRead = (rule: string, title: string): ClaimTest => ({
  kind: 'seeds',
  rule,
  statement: `${title} keeps the tool and learns to read: tool use ends above 0.95, answers above 0.80`,
  share: 1,
  ends: { toolUse: { above: 0.95 }, answer: { above: 0.8 } },
});

const keepsTheTool = (rule: string, title: string): readonly ClaimTest[] => [
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
const falls = (rule: string, title: string): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: 0.25, higher: side(rule), lower: side(rule), of: { start: 'toolUse' } },
  ...{ statement: `${title}: tool use ends more than 25 points below where it began`, lowerOf: TOOL },
});

const stays = (rule: string, title: string): ClaimTest => ({
  ...{ kind: 'paired', asks: 'keeps', margin: 0.05, higher: side(rule), lower: side(rule), of: TOOL },
  ...{ statement: `${title}: tool use ends no lower than it began`, lowerOf: { start: 'toolUse' } },
});

const separate = [
  beats('MT-GRPO uses the tool more than GRPO-MR', MT_GRPO, GRPO_MR, TOOL, TOOL_MARGIN),
  beats('MT-GRPO answers more new questions than GRPO-MR', MT_GRPO, GRPO_MR, NEW, ANSWER_MARGIN),
  beats('MT-GRPO answers more over training than GRPO-MR', MT_GRPO, GRPO_MR, AREA, ANSWER_MARGIN),
  beats('MT-PPO uses the tool more than PPO-MR', MT_PPO, PPO_MR, TOOL, TOOL_MARGIN),
  beats('MT-PPO answers more new questions than PPO-MR', MT_PPO, PPO_MR, NEW, ANSWER_MARGIN),
  beats('MT-PPO answers more over training than PPO-MR', MT_PPO, PPO_MR, AREA, ANSWER_MARGIN),
];

/** Updates until four answers in five of the best arms' end are right: .76 of .95. */
const READS = { curve: 'answer', within: 0.76 } as const;
const sooner = (than: string, title: string): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: 3, unit: 'updates', higher: side(than), lower: MT_PPO, of: READS },
  statement: `MT-PPO gets there in fewer updates than ${title}`,
});

const FORMAT = { measured: 'format' } as const;
const formatted = (one: string, others: readonly (readonly [string, string])[], title: string): readonly ClaimTest[] =>
  others.map(([rule, other]) =>
    beats(`${title} writes more well-formed answers than ${other}`, side(one), side(rule), FORMAT, 0.01),
  );
const formats = [
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

const FREE = side('mt-ppo', { searchCost: 0 });

/** GRPO-OR where every outcome is the same, by its name as an arm: nothing is paid, without a KL term and with one. */
const UNPAID = 'grpo-or:klCoef=0:outcomeMalformed=1:outcomeRight=1:outcomeWrong=1';
const UNPAID_KL = 'grpo-or:klCoef=0.05:outcomeMalformed=1:outcomeRight=1:outcomeWrong=1';

const forgets = (to: string, title: string): ClaimTest => ({
  ...{ kind: 'switch', from: 'mt-grpo', to, since: 60, metric: 'toolUse', within: 120, share: 4 / 5 },
  statement: `${title}, once nothing is paid: tool use falls below 0.80 within 120 updates`,
  bounds: { below: 0.8 },
});

/** Credit of first turns in groups whose outcomes tie: an advantage of a group is about 1 in size. */
const IN_TIES = { mean: 'creditInTies' } as const;
const A_SIGNAL = 0.1;

const inTies = (world: 'shortcut' | 'open'): Experiment => ({
  ...{ name: world, environment: 'search', world, arms: ['grpo-or', 'grpo-mr', 'mt-grpo'], steps: 40 },
  ...ABLATION,
  tests: [
    beats('Outcomes tie in more than a tenth of the groups under MT-GRPO', MT_GRPO, 0.1, { mean: 'tied' }, 0),
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

/** What the paper on turn-level rewards claims. */
export const CLAIMS: readonly Claim[] = [
  {
    id: 't1',
    paper: 'T',
    place: 'Results, figures of tool execution',
    says: 'Where the outcome alone is paid, the policy loses its tool, with the group (GRPO) and with a critic (PPO).',
    rank: 'headline',
    experiments: [
      inWorld('shortcut', [
        falls('grpo-or', 'GRPO-OR'),
        falls('ppo-or', 'PPO-OR'),
        takesTheShortcut('grpo-or', 'GRPO-OR'),
        takesTheShortcut('ppo-or', 'PPO-OR'),
      ]),
      inWorld('open', [
        falls('grpo-or', 'GRPO-OR'),
        falls('ppo-or', 'PPO-OR'),
        losesTheTool('grpo-or', 'GRPO-OR'),
        losesTheTool('ppo-or', 'PPO-OR'),
      ]),
    ],
    differs: [SMALL, 'Here the outcome speaks against the tool at first; in the paper it says nothing about it.'],
  },
  {
    id: 't2',
    paper: 'T',
    place: 'Results, figures of tool execution',
    says: 'Where turns are paid, the policy keeps its tool, with the group (MT-GRPO) and with a critic (MT-PPO).',
    rank: 'headline',
    experiments: [
      inWorld('shortcut', [
        stays('mt-grpo', 'MT-GRPO'),
        stays('mt-ppo', 'MT-PPO'),
        ...keepsTheTool('mt-grpo', 'MT-GRPO'),
        ...keepsTheTool('mt-ppo', 'MT-PPO'),
      ]),
      inWorld('open', [
        stays('mt-grpo', 'MT-GRPO'),
        stays('mt-ppo', 'MT-PPO'),
        learnsToRead('mt-grpo', 'MT-GRPO'),
        learnsToRead('mt-ppo', 'MT-PPO'),
      ]),
    ],
    differs: [SMALL],
  },
  {
    id: 't3',
    paper: 'T',
    place: 'Method; Results, main table',
    says: 'Normalising turn rewards and outcome apart beats merging them into one reward.',
    rank: 'headline',
    experiments: [inWorld('shortcut', separate), inWorld('open', separate)],
    differs: [
      SMALL,
      'In the shortcut world answers over training are what the shortcut is paid for: more of them is no gain there.',
    ],
  },
  {
    id: 't4',
    paper: 'T',
    place: 'Results, training curves (first 100 steps)',
    says: 'MT-PPO converges faster than PPO with merged rewards and than PPO with the outcome alone.',
    rank: 'headline',
    experiments: [inWorld('open', [sooner('ppo-mr', 'PPO-MR'), sooner('ppo-or', 'PPO-OR')])],
    differs: [
      SMALL,
      'Counted are the updates until .76 of the answers are right; an arm that never gets there counts as 120.',
    ],
  },
  {
    id: 't5',
    paper: 'T',
    place: 'Results, main table (format)',
    says: 'Turn-level rewards give more well-formed answers.',
    rank: 'headline',
    experiments: [inWorld('shortcut', formats), inWorld('open', formats)],
    differs: [SMALL],
  },
  {
    id: 't6',
    paper: 'T',
    place: 'Method',
    says: 'Where all outcomes of a group tie, turn 1 has a signal under MT-GRPO alone.',
    rank: 'ablation',
    experiments: [inTies('shortcut'), inTies('open')],
    differs: [
      SMALL,
      'Measured is the size of the advantage of first turns; the gradient of a token is that times what its probability allows.',
      'A merged reward holds the reward of turn 1 as well, and gives it to both turns.',
    ],
  },
  {
    id: 't7',
    paper: 'T',
    place: 'Ablation of the search penalty',
    says: 'Without a price on searches (λs = 0) MT-PPO searches too often and becomes unstable.',
    rank: 'ablation',
    experiments: [
      {
        ...{ name: 'four turns', environment: 'search', world: 'open', settings: { maxTurns: 4 }, steps: 95 },
        arms: ['mt-ppo:searchCost=0', 'mt-ppo:searchCost=0.05', 'mt-ppo', 'mt-ppo:searchCost=0.2'],
        ...ABLATION,
        tests: [
          {
            ...{ kind: 'paired', asks: 'more', margin: 0.2, unit: 'searches', of: { end: 'searches' } },
            ...{ statement: 'Without a price it searches more than at λs = 0.1', higher: FREE, lower: MT_PPO },
          },
          beats('Without a price it answers fewer new questions', MT_PPO, FREE, NEW, ANSWER_MARGIN),
          beats('Without a price tool use ends lower', MT_PPO, FREE, TOOL, TOOL_MARGIN),
        ],
      },
    ],
    differs: [SMALL, 'Up to three searches a rollout.'],
  },
  {
    id: 't8',
    paper: 'T',
    place: 'Ablation of the turn limit',
    says: 'A limit of 4, 5 or 6 turns does no harm.',
    rank: 'ablation',
    experiments: [4, 5, 6].map(
      (limit): Experiment => ({
        ...{ name: `${limit} turns`, environment: 'search', world: 'open', settings: { maxTurns: limit }, steps: 95 },
        arms: ['mt-ppo'],
        ...ABLATION,
        tests: [
          {
            ...{ kind: 'seeds', rule: 'mt-ppo', share: 4 / 5 },
            statement: `With a limit of ${limit} turns MT-PPO keeps the tool and learns to read: tool use ends above 0.95, answers above 0.75`,
            ends: { toolUse: { above: 0.95 }, answer: { above: 0.75 } },
          },
        ],
      }),
    ),
    differs: [
      SMALL,
      'A limit is part of the world, so each has warm starts of its own; all are held to the same bounds.',
    ],
  },
  {
    id: 't9',
    paper: 'T',
    place: 'Results, multi-hop data sets',
    says: 'The gain of turn-level rewards grows with the hops that a question needs.',
    rank: 'headline',
    experiments: [],
    missing: 'Every question is about one fact: there is no setting for hops.',
    differs: [SMALL],
  },
  {
    id: 't12',
    paper: 'T',
    place: 'Discussion of outcome-only training',
    says: 'A behaviour that nothing pays drifts and is forgotten.',
    rank: 'ablation',
    experiments: [
      {
        ...{ name: 'nothing is paid', environment: 'search', world: 'open', steps: 120, ...ABLATION },
        arms: ['mt-grpo', UNPAID, UNPAID_KL],
        switch: { at: [60], from: ['mt-grpo'] },
        tests: [forgets(UNPAID_KL, 'With a KL term'), forgets(UNPAID, 'With nothing but the sampling')],
      },
    ],
    differs: [
      SMALL,
      'Here the outcome is 1 whatever is answered, from update 60 on: all of it ties, where in the paper some of it does.',
    ],
  },
];

/** What we ask ourselves here. */
export const FINDINGS: readonly Claim[] = [
  {
    id: 'own-merging',
    place: 'The papers compare at one difficulty',
    says: 'Whether merged rewards keep the tool hangs on the world: they lose it where memory pays more, and keep it where reading does.',
    rank: 'headline',
    experiments: [
      inWorld('shortcut', [takesTheShortcut('grpo-mr', 'GRPO-MR'), falls('ppo-mr', 'PPO-MR')]),
      inWorld('open', [learnsToRead('grpo-mr', 'GRPO-MR'), learnsToRead('ppo-mr', 'PPO-MR')]),
    ],
    differs: [],
  },
  {
    id: 'own-toggle',
    place: 'The switch of the page',
    says: 'The rule decides at any moment: the tool dies under GRPO-OR and comes back under MT-GRPO.',
    rank: 'headline',
    experiments: [
      {
        ...{ name: 'switches', environment: 'search', world: 'shortcut', arms: ['mt-grpo', 'grpo-or'], steps: 80 },
        switch: { at: [20, 40, 60, 100, 150] },
        ...HEADLINE,
        tests: [
          {
            ...{ kind: 'switch', from: 'mt-grpo', to: 'grpo-or', since: 20, metric: 'toolUse', within: 80 },
            statement: 'From MT-GRPO to GRPO-OR, at 20 or later: tool use falls below 0.10 within 80 updates',
            bounds: { below: 0.1 },
            share: 9 / 10,
          },
          {
            ...{ kind: 'switch', from: 'grpo-or', to: 'mt-grpo', since: 60, metric: 'toolUse', within: 80 },
            statement: 'From GRPO-OR to MT-GRPO, at 60 or later, never trained to search: above 0.90 within 80 updates',
            bounds: { above: 0.9 },
            share: 9 / 10,
          },
        ],
      },
      {
        ...{ name: 'and back', environment: 'search', world: 'shortcut', arms: ['mt-grpo', 'grpo-or'], steps: 60 },
        switch: { at: [60, 100], habit: 40 },
        ...HEADLINE,
        tests: [
          {
            ...{
              kind: 'switch',
              from: 'grpo-or',
              to: 'mt-grpo',
              habit: true,
              since: 60,
              metric: 'toolUse',
              within: 40,
            },
            statement: 'Back from GRPO-OR to MT-GRPO, at 60 or later: tool use rises above 0.90 within 40 updates',
            bounds: { above: 0.9 },
            share: 9 / 10,
          },
        ],
      },
    ],
    differs: [],
  },
];
