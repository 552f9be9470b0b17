import type { FormulaName } from '../../../lessons/lesson.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';

/** Column of the table of a formula. The symbols of a column highlight its cells. */
interface FormulaColumn {
  readonly head: string;
  /** Key of the text of the row. */
  readonly of: string;
  /** Symbols that highlight the cell of the selected row; the default is `of`. */
  readonly selected?: readonly string[];
  /** Symbols that highlight the cells of all rows. */
  readonly all?: readonly string[];
  /** Symbols that highlight the cells of the rows that are related to the selected row. */
  readonly related?: readonly string[];
  /** Symbol that highlights the cell of the row after the selected row. */
  readonly next?: string;
}

export interface FormulaLayout {
  /** Kind of the rows; absent if the rows are attempts. */
  readonly row?: 'token' | 'program' | 'test';
  /** Lines of the formula: `[R]` is a symbol, `{a | b}` is the fraction of a and b. */
  readonly lines: readonly string[];
  readonly columns: readonly FormulaColumn[];
}

export interface FormulaRow {
  readonly name: string;
  /** Numbers of the symbols, and other texts of the columns, by key. */
  readonly texts: Readonly<Record<string, string>>;
  /** Key that related rows share. */
  readonly kin?: string;
  /** Symbol of all rows that does not highlight this row. */
  readonly except?: string;
}

/** Formula with the numbers of a group. */
export interface Formula extends FormulaLayout {
  readonly name: FormulaName;
  /** Caption of the table. */
  readonly caption: string;
  readonly rows: readonly FormulaRow[];
}

/** Binds a formula to one of the groups of a run, oldest first. Returns undefined if no group is suitable. */
export type FormulaBuilder = (
  groups: readonly GroupView[],
  controls: ParameterValues,
) => Pick<Formula, 'caption' | 'rows'> | undefined;

/** Part of a line: a text, a symbol by its key, or a fraction. */
export type Part =
  | string
  | { readonly symbol: string }
  | { readonly over: readonly Part[]; readonly under: readonly Part[] };

/** Splits a line of a formula into its parts. */
export function partsOf(line: string): readonly Part[] {
  const parts = line.split(/(\{[^}]*\}|\[\w+\])/).filter((text) => text !== '');
  return parts.map((text): Part => {
    if (text.startsWith('[')) return { symbol: text.slice(1, -1) };
    if (!text.startsWith('{')) return text;
    const [over = '', under = ''] = text.slice(1, -1).split(' | ');
    return { over: partsOf(over), under: partsOf(under) };
  });
}

/**
 * Returns true if the cell at `row` and `column` is highlighted for a symbol while the row `selectedRow` is selected.
 */
export function isLit(
  { rows, columns }: Formula,
  key: string,
  row: number,
  column: number,
  selectedRow: number,
): boolean {
  const [at, chosen, layout] = [rows[row], rows[selectedRow], columns[column]];
  if (!at || !layout) return false;
  const { of, selected = [of], all = [], related = [], next } = layout;
  if (all.includes(key)) return at.except !== key;
  if (related.includes(key)) return at.kin !== undefined && at.kin === chosen?.kin;
  if (next === key) return row === selectedRow + 1;
  return row === selectedRow && selected.includes(key);
}
