import type { ParameterTable } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';

/** Exercise on the user's run: a table, questions, and the derivation of each answer. */
export interface Sheet {
  /** Group from whose numbers the answers are computed; absent if the sheet is about several groups. */
  readonly group?: GroupView;
  /** Caption of the table. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly SheetRow[];
  /** [lines] numbers in the hint. */
  readonly given: readonly string[];
  readonly questions: readonly SheetQuestion[];
}

export interface SheetRow {
  readonly cells: readonly string[];
  /** True if a question refers to the row. */
  readonly isQuestion: boolean;
}

/** Returns true if a cell contains words instead of a number. Narrow tables may break words. */
export const isTextCell = (cell: string) => /\p{L}{3}/u.test(cell);

/** Question in which the user computes a number. */
export interface NumberQuestion {
  readonly kind: 'number';
  readonly label: string;
  readonly answer: number;
  /** [lines] derivation of the number. */
  readonly derivation: readonly string[];
}

/** Question in which the user marks all correct options. */
export interface ChoiceQuestion {
  readonly kind: 'pick';
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly right: boolean }[];
  readonly derivation: readonly string[];
}

/** Question in which the user selects amounts that reach a goal. */
export interface RewardQuestion {
  readonly kind: 'pay';
  readonly label: string;
  /** Amounts that the user can change. */
  readonly table: ParameterTable;
  /** Initial amounts, by parameter name. */
  readonly begin: Readonly<Record<string, number>>;
  readonly check: (values: Readonly<Record<string, number>>) => PayCheck;
  /** [lines] amounts that reach the goal, and the resulting rewards. */
  readonly derivation: readonly string[];
}

export interface PayCheck {
  readonly met: boolean;
  /** [lines] rewards under the amounts. */
  readonly reports: readonly string[];
}

export type SheetQuestion = NumberQuestion | ChoiceQuestion | RewardQuestion;
