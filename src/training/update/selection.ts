import type { Credit, CreditRule } from '../../credit/rule.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/** Selection of the turns that an update computes. */
export interface Selection {
  /** [turns of the forest] 1 if the turn is computed, otherwise 0. */
  readonly turns: Uint8Array;
  /**
   * Share of the computed tokens among the tokens in the mean of the loss, 0 to 1. Turns without advantage add nothing
   * to the sum and are left out, but they count in the mean.
   */
  readonly share: number;
}

/** Largest absolute value of an advantage that counts as 0: the rounding error of equal rewards minus their mean. */
const ZERO = 1e-9;

/**
 * Returns the turns that an update computes; undefined if it computes all turns. It leaves out turns that the rule
 * pruned, groups with equal outcomes (control `filterUniform`), and turns without advantage (`skipZero`). Turns without
 * advantage are included if KL, entropy, a mean within sequences or a shared ratio of a sequence requires each turn.
 *
 * Batches are packed before the GPU has computed the advantages, so the selection uses the float64 credit of the rule.
 * The update uses the advantages of the GPU. Rules with a critic do not compare rollouts, so all turns are selected.
 * @param creditOf returns the credit of a group of the batch (ExactCredit); called only if necessary
 */
export function selectTurns(
  batch: RolloutBatch,
  rule: CreditRule,
  creditOf: (group: number) => Credit,
  controls: ParameterValues,
): Selection | undefined {
  const filters = controls.filterUniform === 'on';
  // A mean within sequences and a shared ratio of a sequence depend on all tokens of the sequence.
  const isSequenceLevel = controls.aggregation === 'sequence-mean' || controls.ratio === 'sequence';
  const skips = controls.skipZero === 'on' && controls.klCoef === 0 && controls.entropyCoef === 0 && !isSequenceLevel;
  const isSelective = skips || rule.retained !== undefined || rule.given === true;
  if (rule.unit === 'token' || !(filters || isSelective)) return undefined;
  const { groups, forest } = batch;
  const turns = new Uint8Array(forest.parent.length);
  let [counted, computed] = [0, 0];
  groups.forEach((group, index) => {
    const first = forest.groupOffset[index];
    if (filters && ties(forest.outcome.subarray(first, forest.groupOffset[index + 1]))) return;
    const advantage = isSelective ? creditOf(index).advantage : undefined;
    group.turns.forEach(({ tokens = 0 }, turn) => {
      const turnAdvantage = advantage?.[turn] ?? 1;
      if (Number.isNaN(turnAdvantage)) return;
      counted += tokens;
      if (skips && Math.abs(turnAdvantage) <= ZERO) return;
      computed += tokens;
      turns[first + turn] = 1;
    });
  });
  return { turns, share: counted === 0 ? 1 : computed / counted };
}

/**
 * Returns true if all trajectories have the same outcome.
 * @param outcomes [turns] NaN if no trajectory ends at the turn
 */
function ties(outcomes: Float64Array): boolean {
  return new Set(outcomes.filter((outcome) => !Number.isNaN(outcome))).size <= 1;
}
