import type { Group } from '../../rollouts/forest.ts';
import { checkOutcome } from './chains.ts';

/** Discounted and undiscounted returns of a group. */
export interface Returns {
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
