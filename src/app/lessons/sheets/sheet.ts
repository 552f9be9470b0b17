import type { ParameterTable } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';

/** An exercise on the reader's own run: a table, questions that are corrected, and how each is worked out. */
export interface Sheet {
  /** Group whose numbers are the answers. */
  readonly group?: GroupView;
  /** What the table shows. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly SheetRow[];
  /** Numbers that the hint gives. */
  readonly given: readonly string[];
  readonly asks: readonly Ask[];
}

export interface SheetRow {
  readonly cells: readonly string[];
  /** A question is about it. */
  readonly asked: boolean;
}

/** Whether a cell holds words, which may be broken where a table is narrow, and not a number. */
export const hasWords = (cell: string) => /\p{L}{3}/u.test(cell);

/** A number to be worked out. */
export interface NumberAsk {
  readonly kind: 'number';
  readonly label: string;
  readonly answer: number;
  /** How it is worked out, a line each. */
  readonly worked: readonly string[];
}

/** Everything is to be marked that is so. */
export interface PickAsk {
  readonly kind: 'pick';
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly right: boolean }[];
  readonly worked: readonly string[];
}

/** Amounts to be chosen so that something comes true. */
export interface PayAsk {
  readonly kind: 'pay';
  readonly label: string;
  /** What may be chosen, and where it begins. */
  readonly table: ParameterTable;
  readonly begin: Readonly<Record<string, number>>;
  readonly check: (values: Readonly<Record<string, number>>) => PayCheck;
  /** Values that do it, and why. */
  readonly worked: readonly string[];
}

export interface PayCheck {
  readonly met: boolean;
  /** What these amounts pay, a line each. */
  readonly told: readonly string[];
}

export type Ask = NumberAsk | PickAsk | PayAsk;
