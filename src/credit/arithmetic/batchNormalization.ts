import { square } from '../../numbers/powers.ts';
import type { Group } from '../../rollouts/forest.ts';
import { checkTokens } from './chains.ts';

// Normalisation of advantages over the batch of an update, after the credit of its groups.

/** Members of the batch: a rollout counts once, or each of its tokens does. */
export type BatchMembers = 'rollouts' | 'tokens';

/** Added to the standard deviation (TRL's GDPO). */
export const BATCH_EPSILON = 1e-4;

/**
 * Returns the number of members that each turn counts as: its tokens, or 1 for the last turn of a rollout.
 * @returns [turns of the batch]
 * @throws {CreditError} for a turn without tokens, if tokens count
 */
export function memberCounts(groups: readonly Group[], members: BatchMembers): Uint32Array {
  const counts = groups.flatMap(({ id, turns }) => {
    if (members === 'tokens') return turns.map((turn, index) => checkTokens(id, index, turn));
    const isLast = turns.map(() => 1);
    for (const { parent } of turns) if (parent >= 0) isLast[parent] = 0;
    return isLast;
  });
  return Uint32Array.from(counts);
}

/**
 * Computes (A - mean) / (std + BATCH_EPSILON) with the sample deviation over all members of a batch. The readable form of
 * shaders/credit/batch_normalize.wgsl.
 * @param advantages [turns] @param counts [turns] members that have the advantage
 */
export function normalizeBatch(advantages: ArrayLike<number>, counts: ArrayLike<number>): Float64Array {
  let [members, sum, squares] = [0, 0, 0];
  for (let turn = 0; turn < advantages.length; turn++) {
    members += counts[turn];
    sum += counts[turn] * advantages[turn];
  }
  const mean = sum / Math.max(members, 1);
  for (let turn = 0; turn < advantages.length; turn++) squares += counts[turn] * square(advantages[turn] - mean);
  const divisor = Math.sqrt(squares / Math.max(members - 1, 1)) + BATCH_EPSILON;
  return Float64Array.from(advantages, (A) => (A - mean) / divisor);
}
