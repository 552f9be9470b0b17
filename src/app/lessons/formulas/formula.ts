/** Part of a formula: a text, a symbol by its key, or a fraction. */
export type Part =
  | string
  | { readonly symbol: string }
  | { readonly over: readonly Part[]; readonly under: readonly Part[] };

/** Text of a symbol, and its meaning in the formula. */
export interface Bound {
  readonly text: string;
  readonly meaning: string;
}

export interface BoundCell {
  readonly text: string;
  /** Symbols for which the cell is highlighted, regardless of the selected row. */
  readonly symbols?: readonly string[];
  /** Symbols for which the cell is highlighted if its row is selected. */
  readonly rowSymbols?: readonly string[];
}

export interface BoundRow {
  readonly name: string;
  readonly cells: readonly BoundCell[];
  /** Number of each symbol, as text, if the row is selected. */
  readonly values: Readonly<Record<string, string>>;
  /** Key of related rows. If a row is selected, the symbols of `ofKin` highlight all rows with the same key. */
  readonly kin?: string;
}

/** Formula with the numbers of a group. */
export interface BoundFormula {
  /** Caption of the table. */
  readonly caption: string;
  /** Kind of the rows; absent if the rows are attempts. */
  readonly row?: 'token' | 'program' | 'test';
  readonly symbols: Readonly<Record<string, Bound>>;
  readonly lines: readonly (readonly Part[])[];
  /** Headings of the columns. The first column has the names of the rows. */
  readonly columns: readonly string[];
  readonly rows: readonly BoundRow[];
  /** Symbols that highlight a column in the rows related to the selected row, with the index of the column. */
  readonly ofKin?: Readonly<Record<string, number>>;
  /** Symbols that highlight a column in the row after the selected row, with the index of the column. */
  readonly ofNext?: Readonly<Record<string, number>>;
}

export const symbol = (key: string): Part => ({ symbol: key });

/** Returns the fraction of a value minus its mean, divided by its standard deviation. */
export const normalised = (value: string, middle: string, deviation: string): Part => ({
  over: [symbol(value), ' − ', symbol(middle)],
  under: [symbol(deviation)],
});

/**
 * Returns true if the cell at `row` and `column` is highlighted for a symbol while the row `selectedRow` is selected.
 */
export function isLit(formula: BoundFormula, key: string, row: number, column: number, selectedRow: number): boolean {
  const at = formula.rows[row];
  const cell = at?.cells[column];
  if (!at || !cell) return false;
  if (cell.symbols?.includes(key)) return true;
  if (formula.ofKin?.[key] === column) return at.kin !== undefined && at.kin === formula.rows[selectedRow]?.kin;
  if (formula.ofNext?.[key] === column && row === selectedRow + 1) return true;
  return row === selectedRow && cell.rowSymbols?.includes(key) === true;
}

/** Returns the keys of the symbols in a formula, in order of appearance. */
export function symbolsIn(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string') return [];
    return 'symbol' in part ? [part.symbol] : [...symbolsIn(part.over), ...symbolsIn(part.under)];
  });
}
