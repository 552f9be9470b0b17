import type { ParameterValues } from '../../parameters/parameters.ts';

/** What the visitor chose before it was known which run the address means. */
export interface Early {
  readonly changes: ParameterValues;
  readonly play?: boolean;
  readonly step?: boolean;
  readonly dropPlan?: boolean;
}

const NOTHING: Early = { changes: {} };

/** Keeps what is pressed while storage is still answering, for the run that its answer brings. */
export class EarlyChoice {
  private early = NOTHING;

  /** Whether the visitor asked for a run that plays, or for one that stands; undefined where neither was asked for. */
  get play(): boolean | undefined {
    return this.early.play;
  }

  add(choice: Partial<Early>): void {
    this.early = { ...this.early, ...choice, changes: { ...this.early.changes, ...choice.changes } };
  }

  /** What was chosen, which is done with now. */
  take(): Early {
    const { early } = this;
    this.early = NOTHING;
    return early;
  }
}
