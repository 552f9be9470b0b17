import type { ParameterTable, ParameterValues } from '../parameters/parameters.ts';
import type { Group } from '../rollouts/forest.ts';
import type { Stage } from './stage.ts';

/** A credit rule: maps a group of rollouts to one advantage a turn. One file a rule; see docs/architecture.md. */
export interface CreditRule {
  /** Name in flags, URLs and files, for example `mt-grpo`. */
  readonly name: string;
  /** Name for people, for example "MT-GRPO". */
  readonly title: string;
  /** One sentence. */
  readonly idea: string;
  readonly paper: { readonly title: string; readonly reference: string; readonly equation: string };
  readonly parameters: ParameterTable;
  /** The readable float64 arithmetic over one group. */
  credit(group: Group, parameters: ParameterValues): Credit;
  /**
   * The rewards that the rule sets against one another, one list for each comparison within the group; a group in
   * which every list is constant teaches nothing (degenerate.ts).
   */
  compared(group: Group, parameters: ParameterValues): readonly ArrayLike<number>[];
  /** The kernels that do the same for a whole batch on the GPU, in order; the last writes `advantage`. */
  readonly stages: readonly Stage[];
}

/** What a rule says about one group. */
export interface Credit {
  /** [turns]: the advantage of each turn. */
  readonly advantage: Float64Array;
  /**
   * Intermediate values by their name in the formulas, for the inspector: [turns], NaN where a turn has no such value.
   */
  readonly intermediate: Readonly<Record<string, Float64Array>>;
}

/** A group that a rule cannot read; the message names the group, the turn and the field. */
export class CreditError extends Error {
  constructor(
    readonly group: string,
    readonly turn: number | undefined,
    message: string,
  ) {
    super(turn === undefined ? `group "${group}": ${message}` : `group "${group}", turn ${turn}: ${message}`);
    this.name = 'CreditError';
  }
}
