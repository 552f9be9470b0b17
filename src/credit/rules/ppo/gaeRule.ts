import type { NumberParameter, Values } from '../../../parameters/parameters.ts';
import type { Group } from '../../../rollouts/forest.ts';
import { chains, checkValues } from '../../arithmetic/chains.ts';
import { gae, type Payment, tokenRewards } from '../../arithmetic/gae.ts';
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
import type { Credit, RuleDefinition } from '../../rule.ts';
import { equation, operand, shown, trajectoryAt } from '../../telling/worked.ts';

// What the PPO rules share: they differ only in the tokens that rewards are paid at.

const GAMMA = {
  kind: 'number',
  name: 'gamma',
  control: 'ppoGamma',
  label: 'Discount a token',
  symbol: 'γ',
  default: 1,
  min: 0,
  max: 1,
  step: 0.005,
  help: 'Reward that comes one token later counts this much. At 1 it does not matter when it comes.',
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
  help: 'How far a token looks past the critic: 0 trusts its next value alone, 1 waits for the rewards themselves.',
} as const satisfies NumberParameter;

/** γ and λ of the PPO rules; 1 and 1 as in the paper. */
const GAE_PARAMETERS = [GAMMA, LAMBDA] as const;

type GaeValues = Values<typeof GAE_PARAMETERS>;

const GAE_READS = ['outcome', 'tokens', 'values'] as const;

export const GAE_FORMULA = [
  'δ_t = r_t + γ V_{t+1} − V_t over the tokens that the policy wrote, V = 0 behind the last',
  'A_t = δ_t + γλ A_{t+1}, return_t = A_t + V_t',
] as const;

/** The float64 arithmetic of a PPO rule. */
function gaeCredit(group: Group, { gamma, lambda }: GaeValues, payment: Payment): Credit {
  const trajectories = chains(group);
  const start = [0];
  group.turns.forEach((turn, index) => {
    start.push(start[index] + checkValues(group.id, index, turn).length);
  });
  const tokens = { advantages: new Float64Array(start.at(-1) ?? 0), returns: new Float64Array(start.at(-1) ?? 0) };
  for (const chain of trajectories) {
    const values = chain.turns.flatMap((turn) => [...(group.turns[turn].values as readonly number[])]);
    const made = gae(tokenRewards(group, chain, payment), values, gamma, lambda);
    let done = 0;
    for (const turn of chain.turns) {
      const end = done + start[turn + 1] - start[turn];
      tokens.advantages.set(made.advantages.subarray(done, end), start[turn]);
      tokens.returns.set(made.returns.subarray(done, end), start[turn]);
      done = end;
    }
  }
  const mean = (turn: number) => {
    const own = tokens.advantages.subarray(start[turn], start[turn + 1]);
    return own.reduce((sum, A) => sum + A, 0) / own.length;
  };
  return { advantage: Float64Array.from(group.turns, (_, turn) => mean(turn)), tokens, intermediate: {} };
}

/** δ_t, A_t and return_t of a turn's tokens, last token first, numbered from 1 in their trajectory. */
function gaeLines(turn: number, group: Group, { gamma, lambda }: GaeValues, payment: Payment): string[] {
  const trajectories = chains(group);
  const chain = trajectories[trajectoryAt(trajectories, turn)];
  const lists = chain.turns.map((one) => group.turns[one].values ?? []);
  const place = chain.turns.indexOf(turn);
  const start = lists.slice(0, place).reduce((sum, list) => sum + list.length, 0);
  const [r, V] = [tokenRewards(group, chain, payment), lists.flat()];
  const { advantages: A, returns } = gae(r, V, gamma, lambda);
  const [g, l] = [shown(gamma), shown(lambda)];
  return lists[place].flatMap((_, token) => {
    const t = start + lists[place].length - 1 - token;
    const [next, after] = [V[t + 1] ?? 0, A[t + 1] ?? 0];
    const delta = r[t] + gamma * next - V[t];
    return [
      equation(`δ_${t + 1}`, `${shown(r[t])} + ${g} · ${operand(next)} − ${operand(V[t])}`, delta),
      equation(`A_${t + 1}`, `${shown(delta)} + ${g} · ${l} · ${operand(after)}`, A[t]),
      equation(`return_${t + 1}`, `${shown(A[t])} + ${operand(V[t])}`, returns[t]),
    ];
  });
}

/** The kernels of a PPO rule. */
function gaeStages(payment: Payment): readonly Stage<GaeValues>[] {
  return [
    {
      kernel: 'credit/gae',
      bindings: {
        turnOffset: trajectoryTurns.offset,
        turn: trajectoryTurns.member,
        tokenOffset,
        reward,
        outcome,
        tokenValue,
        tokenAdvantage,
        tokenReturn,
      },
      count: countOf('trajectories'),
      uniforms: ({ gamma, lambda }) => ({
        gamma,
        lambda,
        turnRewards: Number(payment === 'turn'),
        merged: Number(payment === 'merged'),
      }),
    },
    {
      kernel: 'credit/turn_token_mean',
      bindings: { tokenOffset, tokenAdvantage, advantage },
      count: countOf('turns'),
    },
  ];
}

/** What is the same in the files of all PPO rules. */
export function gaeRule(
  payment: Payment,
): Pick<
  RuleDefinition<typeof GAE_PARAMETERS>,
  'family' | 'input' | 'reads' | 'unit' | 'parameters' | 'credit' | 'worked' | 'compared' | 'outputs' | 'stages'
> {
  return {
    family: 'critic',
    input: 'trajectories',
    reads: GAE_READS,
    unit: 'token',
    parameters: GAE_PARAMETERS,
    credit: (group, values) => gaeCredit(group, values, payment),
    worked: (turn, group, _, values) => gaeLines(turn, group, values, payment),
    // The critic is what a rollout is compared with, not the rest of its group.
    compared: () => [],
    outputs: {},
    stages: gaeStages(payment),
  };
}
