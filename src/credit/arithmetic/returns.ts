import type { Group } from '../../rollouts/forest.ts';
import { type Chain, checkOutcome, intermediateTurns } from './chains.ts';

/** Discounted and undiscounted returns of a group. */
interface Returns {
  /** Discounted return G_t from each turn [turns]. */
  readonly step: Float64Array;
  /** Undiscounted return R_i of each trajectory [trajectories]: the sum of r_t. */
  readonly episode: Float64Array;
}

/**
 * Computes G_t = r_t + gamma G_{t+1}. Here r_t is the reward, plus `bonus` if the turn validates, plus the outcome on
 * the last turn. A missing outcome counts as 0.
 * @param paths turns of each trajectory
 * @throws {CreditError} for an outcome that is not finite
 */
export function discountedReturns(
  group: Group,
  paths: readonly (readonly number[])[],
  gamma: number,
  bonus = 0,
): Returns {
  const step = new Float64Array(group.turns.length);
  const episode = Float64Array.from(paths, (path) => {
    let [G, R] = [0, 0];
    for (let k = path.length - 1; k >= 0; k--) {
      const { reward, validates, outcome = 0 } = group.turns[path[k]];
      let r = reward + (validates ? bonus : 0);
      if (k === path.length - 1) r += checkOutcome(group.id, path[k], outcome);
      G = r + gamma * G;
      R += r;
      step[path[k]] = G;
    }
    return R;
  });
  return { step, episode };
}

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

/** Weights of the turn rewards of TAPO. */
interface TurnAware {
  /** Weight of the reward of a later program. */
  readonly abs: number;
  /** Weight of the increase of the reward over the previous program. */
  readonly imp: number;
  /** Weight of the reward of a verification. */
  readonly ver: number;
}

/**
 * Returns the generation reward at an even position: the first program's reward, or the weighted reward and its
 * increase.
 */
export function generationReward(rewards: readonly number[], position: number, { abs, imp }: TurnAware): number {
  if (position === 0) return rewards[0];
  return abs * rewards[position] + imp * (rewards[position] - rewards[position - 2]);
}

/**
 * Computes the turn-aware returns R^O + R^turn of one trajectory (Jin et al. 2025, "ReVeal", arXiv 2506.11442, TAPO).
 * Turns alternate: a generation, then its verification. A generation reward counts in its turn and in the verification
 * before it. A verification reward counts only in its turn.
 * @param rewards [turns] reward of each turn alone: of its program, or of its verification
 * @returns [turns]
 */
export function turnAwareReturns(rewards: readonly number[], outcome: number, weights: TurnAware): number[] {
  return rewards.map((reward, position) => {
    if (position % 2 === 0) return outcome + generationReward(rewards, position, weights);
    const next = position + 1 < rewards.length ? generationReward(rewards, position + 1, weights) : 0;
    return outcome + (weights.ver * reward + next);
  });
}
