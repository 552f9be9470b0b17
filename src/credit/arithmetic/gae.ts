import type { Group } from '../../rollouts/forest.ts';
import { type Chain, intermediateTurns } from './chains.ts';

/**
 * Placement of a rule's rewards: turn rewards on the last tokens of their turns, summed into the outcome, or left out.
 */
export type Payment = 'turn' | 'merged' | 'outcome';

/**
 * Generalised advantage estimation (Schulman et al. 2015, arXiv 1506.02438, eq. 16): A_t = δ_t + γλ A_{t+1} with
 * δ_t = r_t + γ V_{t+1} - V_t. V and A are 0 behind the last token.
 * @param rewards [tokens] of one trajectory, tokens of the policy alone
 * @param values [tokens] the critic's value before each token was written
 */
export function gae(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  gamma: number,
  lambda: number,
): { readonly advantages: Float64Array; readonly returns: Float64Array } {
  const advantages = new Float64Array(rewards.length);
  let [A, next] = [0, 0];
  for (let t = rewards.length - 1; t >= 0; t--) {
    const delta = rewards[t] + gamma * next - values[t];
    A = delta + gamma * lambda * A;
    advantages[t] = A;
    next = values[t];
  }
  return { advantages, returns: advantages.map((value, t) => value + values[t]) };
}

/** Returns the reward of each turn of one trajectory. The last turn's reward is the outcome. */
export function turnRewards({ turns }: Group, chain: Chain, payment: Payment): number[] {
  const early = intermediateTurns(chain);
  const sum = early.reduce((total, turn) => total + turns[turn].reward, 0);
  return chain.turns.map((turn, position) => {
    if (position === early.length) return chain.outcome + (payment === 'merged' ? sum : 0);
    return payment === 'turn' ? turns[turn].reward : 0;
  });
}

/** r_t of one trajectory: 0 but on the last tokens of turns. */
export function tokenRewards(group: Group, chain: Chain, payment: Payment): number[] {
  const { turns } = group;
  const rewards = turnRewards(group, chain, payment);
  return chain.turns.flatMap((turn, position) => {
    const count = Number(turns[turn].tokens);
    return Array.from({ length: count }, (_, token) => (token === count - 1 ? rewards[position] : 0));
  });
}
