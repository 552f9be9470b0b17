import type { Credit, CreditRule } from '../../credit/rule.ts';
import type { UsedCredit } from '../../engine/usedCredit.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { isTree, unfolded } from '../../rollouts/forest.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { runParameters } from './tokenAdvantages.ts';

/**
 * Credit of a batch under each rule in float64, computed per group at the first request and cached.
 *
 * Gradients use only the float32 advantages of UsedCredit. Views use the float64 credit. The selection of turns also
 * uses it, because it precedes the results of the GPU.
 */
export class ExactCredit {
  private readonly known = new Map<CreditRule, Map<number, Credit>>();
  private readonly alongPaths = new Map<CreditRule, Map<number, Float64Array>>();

  /**
   * @param controls controls under which the batch was sampled
   * @param maxTurns maximum number of turns in the environment
   */
  constructor(
    private readonly batch: Pick<RolloutBatch, 'groups'>,
    private readonly controls: ParameterValues,
    private readonly maxTurns: number,
  ) {}

  /** Returns the parameter values of a rule for this batch. */
  parametersOf(rule: CreditRule): ParameterValues {
    return runParameters(rule, this.controls, this.maxTurns);
  }

  /**
   * Computes the credit of one group.
   * @param group index in the batch
   * @throws {CreditError} if the rule cannot read the group
   */
  of(group: number, rule: CreditRule): Credit {
    const groups = this.known.get(rule) ?? new Map<number, Credit>();
    this.known.set(rule, groups);
    const credit = groups.get(group) ?? rule.credit(this.batch.groups[group], this.parametersOf(rule));
    groups.set(group, credit);
    return credit;
  }

  /**
   * Returns [turns of the group] the advantages of one group, also for a tree under a rule of trajectories. The
   * rollouts of the tree then count as separate trajectories, and a shared turn has the mean of its advantages.
   * @throws {CreditError} if the rule cannot read the group or its rollouts
   */
  advantages(group: number, rule: CreditRule): Float64Array {
    const tree = this.batch.groups[group];
    if (rule.input === 'forest' || !isTree(tree)) return this.of(group, rule).advantage;
    const groups = this.alongPaths.get(rule) ?? new Map<number, Float64Array>();
    this.alongPaths.set(rule, groups);
    const known = groups.get(group);
    if (known) return known;
    const { group: paths, from } = unfolded(tree);
    const { advantage } = rule.credit(paths, this.parametersOf(rule));
    const [sum, count] = [new Float64Array(tree.turns.length), new Float64Array(tree.turns.length)];
    from.forEach((turn, at) => {
      sum[turn] += advantage[at];
      count[turn]++;
    });
    const mean = sum.map((total, turn) => total / count[turn]);
    groups.set(group, mean);
    return mean;
  }
}

/** Sampled batch with its credit. */
export interface BatchWithCredit {
  readonly batch: RolloutBatch;
  /** Controls under which the batch was sampled. */
  readonly controls: ParameterValues;
  /** Credit under the active rule on the GPU, as the update used it. */
  readonly credit: UsedCredit;
  readonly exact: ExactCredit;
}
