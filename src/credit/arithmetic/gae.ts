import type { Group } from '../../rollouts/forest.ts';
import { type Chain, intermediateTurns } from './chains.ts';

/** Use of the turn rewards: on the last tokens of their turns, added to the outcome, or none. */
export type Payment = 'turn' | 'merged' | 'outcome';

/**
 * Computes generalised advantage estimation (Schulman et al. 2015, arXiv 1506.02438, eq. 16): A_t = δ_t + γλ A_{t+1}
 * with δ_t = r_t + γ V_{t+1} - V_t. V and A are 0 after the last token.
 * @param rewards [policy tokens of one trajectory]
 * @param values [policy tokens of one trajectory] critic's value before each token
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

/** Returns the reward of each turn of one trajectory. The last turn has the outcome, plus the merged turn rewards. */
export function turnRewards({ turns }: Group, chain: Chain, payment: Payment): number[] {
  const early = intermediateTurns(chain);
  const sum = early.reduce((total, turn) => total + turns[turn].reward, 0);
  return chain.turns.map((turn, position) => {
    if (position === early.length) return chain.outcome + (payment === 'merged' ? sum : 0);
    return payment === 'turn' ? turns[turn].reward : 0;
  });
}

/** Returns r_t of each policy token of one trajectory. It is 0 except on the last token of a turn. */
export function tokenRewards(group: Group, chain: Chain, payment: Payment): number[] {
  const { turns } = group;
  const rewards = turnRewards(group, chain, payment);
  return chain.turns.flatMap((turn, position) => {
    const count = Number(turns[turn].tokens);
    return Array.from({ length: count }, (_, token) => (token === count - 1 ? rewards[position] : 0));
  });
}
