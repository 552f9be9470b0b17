import { REPORT_LINE_SIZE, reportLine } from '../../objective/objective.ts';
import { tokenLine } from '../../objective/valueObjective.ts';
import type { ReportLines } from '../updatePlan.ts';

/** Lines of a report that an update wrote. */
export interface WrittenLines {
  /** Number of minibatches of the update over all epochs. */
  readonly minibatches: number;
  /** True if the policy took its steps. */
  readonly policy: boolean;
  /** True if the critic took its steps and the advantages of tokens were normalised. */
  readonly critic: boolean;
}

/**
 * Line numbers of an update's report. Each line has REPORT_LINE_SIZE words. The reference pass is first. One line per
 * minibatch of the policy and one per minibatch of the critic follow. The normalisation of token advantages is last.
 */
export class ReportLayout {
  readonly reference = 0;

  /** @param minibatchLimit maximum number of minibatches of an update over all epochs */
  constructor(private readonly minibatchLimit: number) {}

  /** Returns the line of the policy's step on a minibatch. @param index from 0, over all epochs */
  policy(index: number): number {
    return this.reference + 1 + this.within(index);
  }

  /** Returns the line of the critic's step on a minibatch. @param index from 0, over all epochs */
  critic(index: number): number {
    return this.reference + 1 + this.minibatchLimit + this.within(index);
  }

  /** Line of the normalisation of token advantages (TokenLine). */
  get tokens(): number {
    return this.reference + 1 + 2 * this.minibatchLimit;
  }

  /** Length of the report [32-bit words]. */
  get reportLength(): number {
    return (this.tokens + 1) * REPORT_LINE_SIZE;
  }

  /** Reads a report. Lines that the update did not write contain results of an earlier update and are omitted. */
  read(report: Float32Array, { minibatches, policy, critic }: WrittenLines): ReportLines {
    const lines = (lineOf: (index: number) => number) =>
      Array.from({ length: minibatches }, (_, index) => reportLine(report, lineOf(index)));
    const ofCritic = () => ({
      ...tokenLine(report, this.tokens),
      minibatches: lines((index) => this.critic(index)),
    });
    return {
      reference: reportLine(report, this.reference),
      minibatches: policy ? lines((index) => this.policy(index)) : [],
      ...(critic ? { critic: ofCritic() } : {}),
    };
  }

  private within(index: number): number {
    if (index < this.minibatchLimit) return index;
    throw new RangeError(
      `minibatch ${index} does not exist: the report has room for ${this.minibatchLimit} minibatches`,
    );
  }
}
