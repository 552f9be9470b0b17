import { ABLATION, beats, type Claim, type ClaimTest, type Experiment, keeps, type Side, side } from '../claim.ts';

// What we ask ourselves of rules and rewards that came beside those of the papers. Our own sentences: no paper whose claims we test
// makes them.

const TOOL = { end: 'toolUse' } as const;
const NEW = { measured: 'answer' } as const;
/** Of a share: a tenth of the tool use, two points of the answers. */
const TOOL_MARGIN = 0.1;
const ANSWER_MARGIN = 0.02;

const MT_GRPO = side('mt-grpo');
const OPEN = { name: 'open', environment: 'search', world: 'open', steps: 120, ...ABLATION } as const;

const open = (arms: readonly string[], tests: readonly ClaimTest[]): Experiment => ({ ...OPEN, arms, tests });

/** Where the warm start does not read yet. */
const losesIt = (rule: string, title: string): ClaimTest => ({
  ...{ kind: 'seeds', rule, share: 4 / 5, ends: { toolUse: { below: 0.1 } } },
  statement: `${title} loses the tool: tool use ends below 0.10`,
});

/** After 60 updates of MT-GRPO, when the policy reads. */
const takesOver = (rule: string, title: string): Experiment => ({
  ...{ name: 'after MT-GRPO', environment: 'search', world: 'open', steps: 60, arms: ['mt-grpo', rule] },
  switch: { at: [60], from: ['mt-grpo'] },
  ...ABLATION,
  tests: [
    {
      ...{ kind: 'switch', from: 'mt-grpo', to: rule, since: 60, metric: 'answer', within: 60, share: 4 / 5 },
      statement: `From MT-GRPO to ${title}, at 60: right answers rise above 0.90 within 60 updates`,
      bounds: { above: 0.9 },
    },
  ],
});

const AFTER = 'Memory knows four facts in ten, so nine right answers in ten take the tool.';
const PAPERS_READ = 'The policies of the paper read from the start; this warm start has to learn it.';

const judged = (who: string): Side => side('mt-grpo', { turnReward: who });

/** Findings about rules that came later, and about judges. */
export const RULE_FINDINGS: readonly Claim[] = [
  {
    id: 'own-igpo',
    place: 'IGPO (arXiv 2510.14967) pays a turn what it adds to the probability of the right answer',
    says: 'Credit for what makes the answer more probable loses the tool while the policy does not read, and teaches reading once it does.',
    rank: 'ablation',
    experiments: [
      open(
        ['mt-grpo', 'igpo'],
        [
          losesIt('igpo', 'IGPO'),
          beats('MT-GRPO uses the tool more than IGPO', MT_GRPO, side('igpo'), TOOL, TOOL_MARGIN),
        ],
      ),
      takesOver('igpo', 'IGPO'),
    ],
    differs: [PAPERS_READ, AFTER],
  },
  {
    id: 'own-vineppo',
    place: 'VinePPO (arXiv 2410.01679) plays on from before each turn, K times',
    says: 'A good estimate of what a turn is worth to the outcome loses the tool too, while the policy does not read.',
    rank: 'ablation',
    experiments: [
      open(
        ['mt-grpo', 'vineppo'],
        [
          losesIt('vineppo', 'VinePPO'),
          beats('MT-GRPO uses the tool more than VinePPO', MT_GRPO, side('vineppo'), TOOL, TOOL_MARGIN),
        ],
      ),
      takesOver('vineppo', 'VinePPO'),
    ],
    differs: ['K is 4; the paper takes 9.', AFTER],
  },
  {
    id: 'own-turn-credit',
    place: 'Turn credit moves credit between the turns of a rollout',
    says: 'Credit that moves from turn to turn keeps the tool as merged rewards do, and answers fewer new questions.',
    rank: 'ablation',
    experiments: [
      open(
        ['grpo-mr', 'turn-credit'],
        [
          keeps(
            'Turn credit keeps the tool use of GRPO-MR, to 10 points',
            side('turn-credit'),
            side('grpo-mr'),
            TOOL,
            TOOL_MARGIN,
          ),
          beats(
            'GRPO-MR answers more new questions than turn credit',
            side('grpo-mr'),
            side('turn-credit'),
            NEW,
            ANSWER_MARGIN,
          ),
        ],
      ),
    ],
    differs: [],
  },
  {
    id: 'own-turn-ppo',
    place: 'Turn-PPO asks a critic once a turn',
    says: 'A value a turn serves a short agent as well as a value a token.',
    rank: 'ablation',
    experiments: [
      open(
        ['mt-ppo', 'turn-ppo'],
        [
          keeps(
            'Turn-PPO keeps the tool use of MT-PPO, to 10 points',
            side('turn-ppo'),
            side('mt-ppo'),
            TOOL,
            TOOL_MARGIN,
          ),
          keeps(
            'Turn-PPO answers as many new questions as MT-PPO, to 2 points',
            side('turn-ppo'),
            side('mt-ppo'),
            NEW,
            ANSWER_MARGIN,
          ),
        ],
      ),
    ],
    differs: [],
  },
  {
    id: 'own-judge',
    place: 'The papers on turn-level rewards let a language model judge turns (arXiv 2505.11821, §5.3)',
    says: 'A biased judge is obeyed, and even an honest one does not keep the tool as rules do.',
    rank: 'ablation',
    experiments: [
      {
        ...{ name: 'shortcut', environment: 'search', world: 'shortcut', steps: 120 },
        arms: ['mt-grpo', 'mt-grpo:turnReward=judge', 'mt-grpo:turnReward=unreliable'],
        ...ABLATION,
        tests: [
          beats(
            'MT-GRPO uses the tool more under rules than under an unreliable judge',
            MT_GRPO,
            judged('unreliable'),
            TOOL,
            TOOL_MARGIN,
          ),
          beats(
            'MT-GRPO uses the tool more under rules than under an honest judge',
            MT_GRPO,
            judged('judge'),
            TOOL,
            TOOL_MARGIN,
          ),
          beats(
            'MT-GRPO uses the tool more under an honest judge than under an unreliable one',
            judged('judge'),
            judged('unreliable'),
            TOOL,
            TOOL_MARGIN,
          ),
        ],
      },
    ],
    differs: [
      'A judge is a network of 0.4 MB that has learned from a rubric; the unreliable one from labels of which a fifth is wrong, with a ' +
        'lean to turns that answer without looking. Every world has judges of its own.',
    ],
  },
];
