import type { Credit, CreditRule } from '../../credit/rule.ts';
import type { UsedCredit } from '../../engine/usedCredit.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { isTree, unfolded } from '../../rollouts/forest.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { runParameters } from './tokenAdvantages.ts';

/**
 * Credit of a batch under each rule in float64. The credit of each group is computed at the first request, and once for
 * all requests.
 *
 * The advantages of the GPU (UsedCredit) are the authority for the gradient: no float64 number enters it. The float64
 * numbers are the authority for people, and for the selection of turns, which must be made before the GPU has returned
 * its results.
 */
export class ExactCredit {
  private readonly known = new Map<CreditRule, Map<number, Credit>>();
  private readonly alongPaths = new Map<CreditRule, Map<number, Float64Array>>();

  /**
   * @param controls as they were when the batch was played
   * @param maxTurns the environment's
   */
  constructor(
    private readonly batch: Pick<RolloutBatch, 'groups'>,
    private readonly controls: ParameterValues,
    private readonly maxTurns: number,
  ) {}

  /** The values of a rule's parameters when the batch was played. */
  parametersOf(rule: CreditRule): ParameterValues {
    return runParameters(rule, this.controls, this.maxTurns);
  }

  /**
   * The credit of one group.
   * @param group index in the batch
   * @throws {CreditError} where the rule cannot read the group
   */
  of(group: number, rule: CreditRule): Credit {
    const groups = this.known.get(rule) ?? new Map<number, Credit>();
    this.known.set(rule, groups);
    const credit = groups.get(group) ?? rule.credit(this.batch.groups[group], this.parametersOf(rule));
    groups.set(group, credit);
    return credit;
  }

  /**
   * [turns of the group] the advantages of one group, of a tree under a rule of trajectories too: its rollouts are compared as
   * if none shared a turn, and a turn gets the mean over those that go through it.
   * @throws {CreditError} where the rule cannot read the group, or its rollouts
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

/** A batch that was played, and what is said about it. */
export interface BatchWithCredit {
  readonly batch: RolloutBatch;
  /** As they were when it was played. */
  readonly controls: ParameterValues;
  /** Credit under the active rule on the GPU, as the update used it. */
  readonly credit: UsedCredit;
  readonly exact: ExactCredit;
}
