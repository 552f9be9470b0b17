import { REPORT_LINE_SIZE, reportLine } from '../../objective/objective.ts';
import { tokenLine } from '../../objective/valueObjective.ts';
import type { ReportLines } from '../updatePlan.ts';

/** Lines of a report that were written. */
export interface WrittenLines {
  /** Minibatches of the update, epochs counted. */
  readonly minibatches: number;
  /** The policy took its steps. */
  readonly policy: boolean;
  /** The critic took its steps, and the advantages of tokens were normalised. */
  readonly critic: boolean;
}

/**
 * Line numbers of an update's report. A line has REPORT_LINE_SIZE words: the reference pass, then a line for each minibatch
 * of the policy, one for each of the critic, and the normalisation of the advantages of tokens.
 */
export class ReportLayout {
  readonly reference = 0;

  /** @param minibatchLimit of an update, epochs counted */
  constructor(private readonly minibatchLimit: number) {}

  /** The policy's step on a minibatch. @param index from 0, epochs counted */
  policy(index: number): number {
    return this.reference + 1 + this.within(index);
  }

  /** The critic's step on a minibatch. @param index from 0, epochs counted */
  critic(index: number): number {
    return this.reference + 1 + this.minibatchLimit + this.within(index);
  }

  /** The normalisation of the advantages of tokens (TokenLine). */
  get tokens(): number {
    return this.reference + 1 + 2 * this.minibatchLimit;
  }

  /** Words of the whole report. */
  get reportLength(): number {
    return (this.tokens + 1) * REPORT_LINE_SIZE;
  }

  /** Reads a report. Lines that were not written hold what an earlier update wrote, and are left out. */
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
