import type { NumberParameter, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { type Chain, chains, checkValues } from '../../arithmetic/chains.ts';
import { gae, type Payment, tokenRewards, turnRewards } from '../../arithmetic/returns.ts';
import { equation, formatNumber, operand, trajectoryAt } from '../../explanation/derivation.ts';
import { TWO_TURNS_WITH_VALUES } from '../../explanation/examples.ts';
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

type GaeValues = Values<typeof GAE_PARAMETERS>;

/** Step of GAE. The critic is evaluated before each step, and the tokens of a step have the same advantage. */
type Step = 'token' | 'turn';

const GAE_READS = ['outcome', 'tokens', 'values'] as const;

const GAE_FORMULA = [
  'δ_t = r_t + γ V_{t+1} − V_t over the tokens that the policy wrote, V = 0 behind the last',
  'A_t = δ_t + γλ A_{t+1}, return_t = A_t + V_t',
] as const;

/** Returns the steps of a trajectory: the reward of each, the critic's value before it, and its number of tokens. */
function stepsOf(group: Group, chain: Chain, payment: Payment, step: Step) {
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

/**
 * Returns the lines of δ_t, A_t and return_t of a turn's steps, last step first. Steps count from 1 in their
 * trajectory.
 */
function gaeLines(turn: number, group: Group, { gamma, lambda }: GaeValues, payment: Payment, step: Step): string[] {
  const trajectories = chains(group);
  const chain = trajectories[trajectoryAt(trajectories, turn)];
  const position = chain.turns.indexOf(turn);
  const stepsIn = (index: number) => (step === 'turn' ? 1 : (group.turns[index].values ?? []).length);
  const start = chain.turns.slice(0, position).reduce((sum, index) => sum + stepsIn(index), 0);
  const { rewards: r, values: V } = stepsOf(group, chain, payment, step);
  const { advantages: A, returns } = gae(r, V, gamma, lambda);
  const [g, l] = [formatNumber(gamma), formatNumber(lambda)];
  return Array.from({ length: stepsIn(turn) }, (_, back) => start + stepsIn(turn) - 1 - back).flatMap((t) => {
    const [next, after] = [V[t + 1] ?? 0, A[t + 1] ?? 0];
    const delta = r[t] + gamma * next - V[t];
    return [
      equation(`δ_${t + 1}`, `${formatNumber(r[t])} + ${g} · ${operand(next)} − ${operand(V[t])}`, delta),
      equation(`A_${t + 1}`, `${formatNumber(delta)} + ${g} · ${l} · ${operand(after)}`, A[t]),
      equation(`return_${t + 1}`, `${formatNumber(A[t])} + ${operand(V[t])}`, returns[t]),
    ];
  });
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
    worked: (turn: number, group: Group, _: Credit, values: GaeValues) => gaeLines(turn, group, values, payment, step),
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
  fullName: 'multi-turn PPO: rewards on the turns that earned them',
  idea: 'Each turn reward is on the last token of its turn; advantages of tokens are relative to the values of a critic.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'MT-PPO: r_t = R^I_k on the last token of turn k < K, R^O on the last token; Â_t by GAE',
  },
  formula: ['r_t = R^I_{i,k} on the last token of turn k < K_i, R^O_i on the last token, else 0', ...GAE_FORMULA],
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('turn'),
});

export const ppoOr = creditRule({
  name: 'ppo-or',
  title: 'PPO-OR',
  fullName: 'PPO, outcome reward',
  idea: 'The only reward is the outcome, on the last token; advantages of tokens are relative to the values of a critic.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'baseline PPO-OR: r_t = R^O on the last token, else 0; Â_t by GAE',
  },
  formula: ['r_t = R^O_i on the last token of rollout i, else 0', ...GAE_FORMULA],
  rewards: 'outcome',
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('outcome'),
});

export const ppoMr = creditRule({
  name: 'ppo-mr',
  title: 'PPO-MR',
  fullName: 'PPO, merged reward',
  idea: 'The sum of turn rewards and outcome is on the last token; advantages of tokens are relative to the values of a critic.',
  paper: {
    title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
    reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
    equation: 'baseline PPO-MR: r_t = Σ R^I + R^O on the last token, else 0; Â_t by GAE',
  },
  formula: ['r_t = Σ_{l<K_i} R^I_{i,l} + R^O_i on the last token of rollout i, else 0', ...GAE_FORMULA],
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...gaeRule('merged'),
});

export const turnPpo = creditRule({
  name: 'turn-ppo',
  title: 'Turn-PPO',
  fullName: 'PPO with whole turns as actions',
  idea: 'A turn is one action: all its tokens get the advantage of the turn relative to the value of a critic before it.',
  paper: {
    title: 'Turn-PPO: Turn-Level Advantage Estimation with PPO for Improved Multi-Turn RL in Agentic LLMs',
    reference: 'Li, Zhou, Meng et al. 2025, arXiv 2512.17008',
    equation: 'a turn is the action: the value before it, and GAE over turns',
  },
  formula: [
    'r_k = R^I_{i,k} for turn k < K_i, R^O_i for the last turn',
    'δ_k = r_k + γ V_{k+1} − V_k with V_k at the first token of turn k, V = 0 behind the last turn',
    'A_k = δ_k + γλ A_{k+1}, return_k = A_k + V_k, the same for all tokens of turn k',
  ],
  example: TWO_TURNS_WITH_VALUES,
  laws: {
    scale: 'multiplied',
  },
  ...turnGaeRule(),
});
