import { ABLATION, beats, type Claim, type Experiment } from '../claim.ts';
import {
  ANSWER_MARGIN,
  FREE,
  falls,
  forgets,
  formats,
  inHops,
  inThreeTurns,
  inTies,
  inTwoTurns,
  inWorld,
  keepsTheTool,
  learnsToRead,
  losesTheTool,
  MT_PPO,
  NEW,
  SMALL,
  separate,
  sooner,
  stays,
  TOOL,
  TOOL_MARGIN,
  takesTheShortcut,
  UNPAID,
  UNPAID_KL,
} from './searchClaimTests.ts';

// The claims of the paper on turn-level rewards, as this environment can show them.

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
    experiments: [1, 2, 3].map(inHops),
    differs: [
      SMALL,
      'The paper compares data sets of questions; here each number of hops is a world, with warm starts of its own.',
      'All worlds have as many questions, of the same 384 facts, and up to four turns. A question is known by heart where all its facts are: .40, .17 and .06 of them.',
      'A search is paid for the fact that comes next on the way; the paper pays where the final answer stands in what was found.',
    ],
  },
  {
    id: 't10',
    paper: 'T',
    place: 'Method',
    says: 'Exact MT-GRPO branches from every state, and costs G^(K−1) rollouts for K turns.',
    rank: 'ablation',
    experiments: [inTwoTurns, inThreeTurns],
    missing:
      'Whether exact advantages lie nearer to measured ones is no column of a lab run; docs/truth.md has it for the warm start.',
    differs: [
      SMALL,
      'The last turn is not branched, which is what the exponent K − 1 says: with two turns the exact form is a group of chains.',
      'A turn that several continue gets the mean of what follows, and outcomes are compared over the whole group: the paper leaves both open.',
      'Rollouts answer when they like, so a question costs less than G^(K−1); one that stopped counts as 0 among its siblings (absent = zero).',
      'Rollouts are equal, questions are not: the tree takes half as many as chains of 8, and as many as chains of 16.',
    ],
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
