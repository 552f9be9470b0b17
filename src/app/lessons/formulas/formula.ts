/** A piece of a formula: text, a symbol by its key, or a fraction. */
export type Part =
  | string
  | { readonly symbol: string }
  | { readonly over: readonly Part[]; readonly under: readonly Part[] };

/** Text of a symbol, and its meaning here. */
export interface Bound {
  readonly text: string;
  readonly meaning: string;
}

export interface BoundCell {
  readonly text: string;
  /** Symbols whose numbers it belongs to, for any selected row. */
  readonly symbols?: readonly string[];
  /** Symbols that it is where its own row is looked at. */
  readonly rowSymbols?: readonly string[];
}

export interface BoundRow {
  readonly name: string;
  readonly cells: readonly BoundCell[];
  /** The number of each symbol where this row is looked at. */
  readonly values: Readonly<Record<string, string>>;
  /** Rows whose `kin` are equal belong together where one of them is looked at: their cells have `ofKin` as well. */
  readonly kin?: string;
}

/** A formula with the numbers of a group. */
export interface BoundFormula {
  /** Description of the table. */
  readonly caption: string;
  /** Kind of the rows, if they are not tries. */
  readonly row?: 'token' | 'program' | 'test';
  readonly symbols: Readonly<Record<string, Bound>>;
  readonly lines: readonly (readonly Part[])[];
  /** Headings, that of the names of the rows first. */
  readonly columns: readonly string[];
  readonly rows: readonly BoundRow[];
  /** Symbols that light up in the rows of one kin alone, by the column of their cells. */
  readonly ofKin?: Readonly<Record<string, number>>;
  /** Symbols that light up in the row behind the one that is looked at, by the column of their cells. */
  readonly ofNext?: Readonly<Record<string, number>>;
}

export const symbol = (key: string): Part => ({ symbol: key });

/** One column less its mean, over its standard deviation. */
export const normalised = (value: string, middle: string, deviation: string): Part => ({
  over: [symbol(value), ' − ', symbol(middle)],
  under: [symbol(deviation)],
});

/** True if a cell is highlighted for a symbol when the row `selectedRow` is selected. */
export function isLit(formula: BoundFormula, key: string, row: number, column: number, selectedRow: number): boolean {
  const at = formula.rows[row];
  const cell = at?.cells[column];
  if (!at || !cell) return false;
  if (cell.symbols?.includes(key)) return true;
  if (formula.ofKin?.[key] === column) return at.kin !== undefined && at.kin === formula.rows[selectedRow]?.kin;
  if (formula.ofNext?.[key] === column && row === selectedRow + 1) return true;
  return row === selectedRow && cell.rowSymbols?.includes(key) === true;
}

/** Returns the symbols of a formula in their order in the formula. */
export function symbolsIn(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string') return [];
    return 'symbol' in part ? [part.symbol] : [...symbolsIn(part.over), ...symbolsIn(part.under)];
  });
}
