import type { Credit, CreditRule } from '../../credit/rule.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/** The turns of a batch that its update computes. */
export interface Selection {
  /** [turns of the forest] 1 where the turn is computed. */
  readonly turns: Uint8Array;
  /**
   * Tokens computed, as a share of those that the loss's mean is over: turns without advantage add nothing to the sum and
   * are left out, but they count.
   */
  readonly share: number;
}

/** Below this an advantage is 0: what float64 leaves of equal rewards less their mean. */
const ZERO = 1e-9;

/**
 * Which turns an update computes; undefined where it computes all. Left out are turns that the rule pruned, groups whose
 * outcomes tie (control `filterUniform`), and turns without advantage (`skipZero`), unless KL or entropy, a mean within
 * sequences or a ratio that a sequence shares ask for every turn.
 * Batches are packed before the GPU knows the advantages, so this asks the rule's float64 form; the advantages that are
 * used stay the GPU's. Rules with a critic compare nothing within groups, and get everything.
 * @param creditOf what the rule says about a group of the batch (ExactCredit); asked only where it matters
 */
export function selectTurns(
  batch: RolloutBatch,
  rule: CreditRule,
  creditOf: (group: number) => Credit,
  controls: ParameterValues,
): Selection | undefined {
  const filters = controls.filterUniform === 'on';
  // A mean within sequences, or a ratio that a sequence shares, is over all of its tokens.
  const whole = controls.aggregation === 'sequence-mean' || controls.ratio === 'sequence';
  const skips = controls.skipZero === 'on' && controls.klCoef === 0 && controls.entropyCoef === 0 && !whole;
  const asks = skips || rule.retained !== undefined || rule.given === true;
  if (rule.unit === 'token' || !(filters || asks)) return undefined;
  const { groups, forest } = batch;
  const turns = new Uint8Array(forest.parent.length);
  let [counted, computed] = [0, 0];
  groups.forEach((group, index) => {
    const first = forest.groupOffset[index];
    if (filters && ties(forest.outcome.subarray(first, forest.groupOffset[index + 1]))) return;
    const advantage = asks ? creditOf(index).advantage : undefined;
    group.turns.forEach(({ tokens = 0 }, turn) => {
      const own = advantage?.[turn] ?? 1;
      if (Number.isNaN(own)) return;
      counted += tokens;
      if (skips && Math.abs(own) <= ZERO) return;
      computed += tokens;
      turns[first + turn] = 1;
    });
  });
  return { turns, share: counted === 0 ? 1 : computed / counted };
}

/** Whether all trajectories ended alike. @param outcomes [turns] NaN where a turn ends none */
function ties(outcomes: Float64Array): boolean {
  return new Set(outcomes.filter((outcome) => !Number.isNaN(outcome))).size <= 1;
}
