import type { FlatReason } from '../rollouts/flatGroups.ts';

/** Sum with its number of terms. */
export class Sum {
  total = 0;
  count = 0;

  add(value: number, times = 1): void {
    this.total += value * times;
    this.count += times;
  }

  /** Mean of the terms; null if there are no terms. */
  get mean(): number | null {
    return this.count === 0 ? null : this.total / this.count;
  }
}

/** Returns the sum with a name, and creates it if it does not exist. */
export function sumOf(sums: Map<string, Sum>, name: string): Sum {
  const known = sums.get(name) ?? new Sum();
  sums.set(name, known);
  return known;
}

/** Sums of one training step. Memory does not depend on the number of groups. */
export class StepSums {
  groups = 0;
  rollouts = 0;
  turns = 0;
  readonly reward = new Sum();
  /** Number of groups whose rollouts cannot be compared, by reason. */
  readonly ties = new Map<FlatReason, number>();
  /** Number of rollouts that call any tool, that call each tool, and that are truncated. */
  calling = 0;
  readonly tools = new Map<string, number>();
  truncated = 0;
  /** Sums of advantages by rule and kind of turn. */
  readonly credit = new Map<string, Map<string, Sum>>();
  /** Sums of each component of the reward, and of the reward without that component. */
  readonly components = new Map<string, Sum>();
  readonly rests = new Map<string, Sum>();
  /** Group with the largest standard deviation of outcomes. */
  widest: { readonly id: string; readonly deviation: number } | undefined;
  /** ID of the first group in which a rollout calls a tool. */
  firstCalling: string | undefined;

  constructor(readonly step: number | null) {}
}

/** Numbers of a training step for the table. A mean without terms is null. */
export interface StepRow {
  readonly step: number | null;
  readonly groups: number;
  readonly rollouts: number;
  readonly turns: number;
  readonly reward: number | null;
  /** Share of rollouts that call any tool, and share that call each tool [0 to 1]. */
  readonly calls: number;
  readonly tools: Readonly<Record<string, number>>;
  readonly truncated: number;
  /** Number of groups whose rollouts cannot be compared, by reason. */
  readonly ties: Readonly<Partial<Record<FlatReason, number>>>;
  /** Mean advantage, under the rule in use, of turns that call a tool and of turns in rollouts without a call. */
  readonly creditOfCall: number | null;
  readonly creditOfAnswer: number | null;
  /** Mean advantage by rule and kind of turn. */
  readonly credit: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly components: Readonly<Record<string, number>>;
}
