import { square } from '../../numbers/powers.ts';
import type { Group } from '../../rollouts/forest.ts';
import { checkTokens } from './chains.ts';

// Normalisation of advantages over the batch of an update, after the credit of its groups.

/** Members over which the advantages of a batch are normalised: its rollouts or its tokens. */
export type BatchMembers = 'rollouts' | 'tokens';

/** Constant added to the standard deviation, as in GDPO of TRL. */
export const BATCH_EPSILON = 1e-4;

/**
 * Returns the number of members per turn. With `tokens` it is the number of tokens of the turn. With `rollouts` it is 1
 * for the last turn of a rollout, else 0.
 * @returns [turns of the batch]
 * @throws {CreditError} for a turn without tokens, if `members` is `tokens`
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
 * Computes (A - mean) / (std + BATCH_EPSILON) with the sample standard deviation over all members of a batch. It is the
 * reference implementation of shaders/credit/batch_normalize.wgsl.
 * @param advantages [turns]
 * @param counts [turns] number of members with this advantage
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
