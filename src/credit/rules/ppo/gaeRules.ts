import type { NumberParameter, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { type Chain, chains, checkValues } from '../../arithmetic/chains.ts';
import { gae, type Payment, tokenRewards, turnRewards } from '../../arithmetic/returns.ts';
import {
  advantage,
  countOf,
  outcome,
  reward,
  tokenAdvantage,
  tokenOffset,
  tokenReturn,
  tokenValue,
  trajectoryTurns,
} from '../../gpu/batchArrays.ts';
import type { Stage } from '../../gpu/stage.ts';
import { type Credit, creditRule } from '../../rule.ts';

// Shared parts of the PPO rules. The rules differ in the tokens that have the rewards, and in the step of GAE.

const GAMMA = {
  kind: 'number',
  name: 'gamma',
  control: 'ppoGamma',
  label: 'Discount per token',
  symbol: 'γ',
  default: 1,
  min: 0,
  max: 1,
  step: 0.005,
  help: 'Factor of a reward that comes one token later. At 1 the delay has no effect.',
} as const satisfies NumberParameter;

const LAMBDA = {
  kind: 'number',
  name: 'lambda',
  control: 'ppoLambda',
  label: 'Trace (GAE)',
  symbol: 'λ',
  default: 1,
  min: 0,
  max: 1,
  step: 0.01,
  help: 'Trace decay over tokens: 0 uses only the next value of the critic, 1 uses the full return.',
} as const satisfies NumberParameter;

/** Parameters γ and λ of the PPO rules over tokens; both are 1, as in the paper of MT-PPO. */
const GAE_PARAMETERS = [GAMMA, LAMBDA] as const;

/** Parameters γ and λ over turns; .99 and .9 are reported as the best values in the paper of Turn-PPO. */
const TURN_GAE_PARAMETERS = [
  {
    ...GAMMA,
    control: 'turnPpoGamma',
    label: 'Discount per turn',
    default: 0.99,
    help: 'Factor of a reward that comes one turn later. At 1 the delay has no effect.',
  },
  {
    ...LAMBDA,
    control: 'turnPpoLambda',
    default: 0.9,
    help: 'Trace decay over turns: 0 uses only the next value of the critic, 1 uses the full return.',
  },
] as const;

export type GaeValues = Values<typeof GAE_PARAMETERS>;

/** Step of GAE. The critic is evaluated before each step, and the tokens of a step have the same advantage. */
export type Step = 'token' | 'turn';

const GAE_READS = ['outcome', 'tokens', 'values'] as const;

/** Returns the steps of a trajectory: the reward of each, the critic's value before it, and its number of tokens. */
export function stepsOf(group: Group, chain: Chain, payment: Payment, step: Step) {
  const lists = chain.turns.map((turn) => group.turns[turn].values ?? []);
  return step === 'turn'
    ? {
        rewards: turnRewards(group, chain, payment),
        values: lists.map(([first]) => first),
        sizes: lists.map(({ length }) => length),
      }
    : {
        rewards: tokenRewards(group, chain, payment),
        values: lists.flat(),
        sizes: lists.flatMap((list) => list.map(() => 1)),
      };
}

/** Computes the credit of a PPO rule in float64. */
function gaeCredit(group: Group, { gamma, lambda }: GaeValues, payment: Payment, step: Step): Credit {
  const trajectories = chains(group);
  const start = [0];
  group.turns.forEach((turn, index) => {
    start.push(start[index] + checkValues(group.id, index, turn).length);
  });
  const tokens = { advantages: new Float64Array(start.at(-1) ?? 0), returns: new Float64Array(start.at(-1) ?? 0) };
  for (const chain of trajectories) {
    const { rewards, values, sizes } = stepsOf(group, chain, payment, step);
    const result = gae(rewards, values, gamma, lambda);
    const broadcast = (perStep: Float64Array) => sizes.flatMap((size, at) => new Array<number>(size).fill(perStep[at]));
    const [advantages, returns] = [broadcast(result.advantages), broadcast(result.returns)];
    let done = 0;
    for (const turn of chain.turns) {
      const end = done + start[turn + 1] - start[turn];
      tokens.advantages.set(advantages.slice(done, end), start[turn]);
      tokens.returns.set(returns.slice(done, end), start[turn]);
      done = end;
    }
  }
  const mean = (turn: number) => {
    const turnAdvantages = tokens.advantages.subarray(start[turn], start[turn + 1]);
    return turnAdvantages.reduce((sum, A) => sum + A, 0) / turnAdvantages.length;
  };
  return { advantage: Float64Array.from(group.turns, (_, turn) => mean(turn)), tokens, intermediate: {} };
}

/** Stage that writes `advantage`: the mean over the tokens of each turn. */
export const turnTokenMeanStage: Stage<unknown> = {
  kernel: 'credit/turn_token_mean',
  bindings: { tokenOffset, tokenAdvantage, advantage },
  count: countOf('turns'),
};

/** Bindings of a kernel that writes the returns and the advantages of a trajectory's tokens. */
export const tokenReturnBindings = {
  turnOffset: trajectoryTurns.offset,
  turn: trajectoryTurns.member,
  tokenOffset,
  reward,
  outcome,
  tokenValue,
  tokenAdvantage,
  tokenReturn,
} as const;

/** Returns the stages of a PPO rule. */
function gaeStages(payment: Payment, step: Step): readonly Stage<GaeValues>[] {
  return [
    {
      kernel: 'credit/gae',
      bindings: tokenReturnBindings,
      count: countOf('trajectories'),
      uniforms: ({ gamma, lambda }) => ({
        gamma,
        lambda,
        turnRewards: Number(payment === 'turn'),
        merged: Number(payment === 'merged'),
        turnSteps: Number(step === 'turn'),
      }),
    },
    turnTokenMeanStage,
  ];
}

/** Returns the shared parts of all PPO rules, except their parameters. */
function gaeDefinition(payment: Payment, step: Step) {
  return {
    family: 'critic',
    input: 'trajectories',
    reads: GAE_READS,
    unit: 'token',
    credit: (group: Group, values: GaeValues) => gaeCredit(group, values, payment, step),
    // A rollout is compared with the critic, not with the rest of its group.
    compared: () => [],
    outputs: {},
    stages: gaeStages(payment, step),
  } as const;
}

/** Returns the shared parts of the PPO rules whose steps are tokens. */
function gaeRule(payment: Payment) {
  return { ...gaeDefinition(payment, 'token'), parameters: GAE_PARAMETERS };
}

/** Returns the parts of a PPO rule whose steps are turns, each with its reward. */
function turnGaeRule() {
  return { ...gaeDefinition('turn', 'turn'), parameters: TURN_GAE_PARAMETERS, sharesInTurn: true } as const;
}

export const mtPpo = creditRule({
  name: 'mt-ppo',
  title: 'MT-PPO',
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('turn'),
});

export const ppoOr = creditRule({
  name: 'ppo-or',
  title: 'PPO-OR',
  rewards: 'outcome',
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('outcome'),
});

export const ppoMr = creditRule({
  name: 'ppo-mr',
  title: 'PPO-MR',
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('merged'),
});

export const turnPpo = creditRule({
  name: 'turn-ppo',
  title: 'Turn-PPO',
  laws: {
    scale: 'multiplied',
  },
  ...turnGaeRule(),
});
