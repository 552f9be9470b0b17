import type { ParameterTable } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';

/** An exercise on the user's run: a table, questions that are corrected, and the derivation of each answer. */
export interface Sheet {
  /** Group whose numbers are the answers. */
  readonly group?: GroupView;
  /** Description of the table. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly SheetRow[];
  /** Numbers that the hint gives. */
  readonly given: readonly string[];
  readonly questions: readonly SheetQuestion[];
}

export interface SheetRow {
  readonly cells: readonly string[];
  /** A question is about it. */
  readonly isQuestion: boolean;
}

/** True if a cell contains words instead of a number. Words may be broken in a narrow table. */
export const isTextCell = (cell: string) => /\p{L}{3}/u.test(cell);

/** A question for a number that the user must compute. */
export interface NumberQuestion {
  readonly kind: 'number';
  readonly label: string;
  readonly answer: number;
  /** Derivation of the number, a line each. */
  readonly derivation: readonly string[];
}

/** A question in which the user must mark every true option. */
export interface ChoiceQuestion {
  readonly kind: 'pick';
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly right: boolean }[];
  readonly derivation: readonly string[];
}

/** Amounts to be chosen so that something comes true. */
export interface RewardQuestion {
  readonly kind: 'pay';
  readonly label: string;
  /** Amounts that the user can choose, and their initial values. */
  readonly table: ParameterTable;
  readonly begin: Readonly<Record<string, number>>;
  readonly check: (values: Readonly<Record<string, number>>) => PayCheck;
  /** Values that do it, and why. */
  readonly derivation: readonly string[];
}

export interface PayCheck {
  readonly met: boolean;
  /** Rewards under these amounts, a line each. */
  readonly reports: readonly string[];
}

export type SheetQuestion = NumberQuestion | ChoiceQuestion | RewardQuestion;
