import type { FlatReason } from '../rollouts/flatGroups.ts';

/** A sum with the number of its terms. */
export class Sum {
  total = 0;
  count = 0;

  add(value: number, times = 1): void {
    this.total += value * times;
    this.count += times;
  }

  /** Null without terms. */
  get mean(): number | null {
    return this.count === 0 ? null : this.total / this.count;
  }
}

/** Returns the sum of a name, a new one at first. */
export function sumOf(sums: Map<string, Sum>, name: string): Sum {
  const known = sums.get(name) ?? new Sum();
  sums.set(name, known);
  return known;
}

/** Sums of one training step. Memory does not depend on the number of its groups. */
export class StepSums {
  groups = 0;
  rollouts = 0;
  turns = 0;
  readonly reward = new Sum();
  /** Groups whose rollouts cannot be compared, by reason. */
  readonly ties = new Map<FlatReason, number>();
  /** Rollouts that call a tool, that call each tool, and that a limit ended. */
  calling = 0;
  readonly tools = new Map<string, number>();
  truncated = 0;
  /** Advantages by rule and kind of turn. */
  readonly credit = new Map<string, Map<string, Sum>>();
  /** Parts of rewards by name, and the rest of the reward without each part. */
  readonly components = new Map<string, Sum>();
  readonly rests = new Map<string, Sum>();
  /** The group with the largest deviation of outcomes. */
  widest: { readonly id: string; readonly deviation: number } | undefined;
  /** The first group that calls a tool. */
  firstCalling: string | undefined;

  constructor(readonly step: number | null) {}
}

/** Numbers of a training step, as the table shows them. Means over nothing are null. */
export interface StepRow {
  readonly step: number | null;
  readonly groups: number;
  readonly rollouts: number;
  readonly turns: number;
  readonly reward: number | null;
  /** Share of rollouts that call a tool, and of each tool. */
  readonly calls: number;
  readonly tools: Readonly<Record<string, number>>;
  readonly truncated: number;
  /** Groups without a comparison, by reason. */
  readonly ties: Readonly<Partial<Record<FlatReason, number>>>;
  /** Mean advantage of turns that call a tool, and of turns of rollouts without a call, under the rule in use. */
  readonly creditOfCall: number | null;
  readonly creditOfAnswer: number | null;
  /** Mean advantage by rule and kind of turn. */
  readonly credit: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly components: Readonly<Record<string, number>>;
}
