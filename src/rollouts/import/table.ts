import { show } from '../quoting.ts';
import { ImportError } from './importError.ts';
import { decode, type LocatedRow, type LogFile, type RowLocation, type RowSource } from './logFile.ts';
import { parsePythonJson } from './pythonJson.ts';
import { type Columns, isRecord, type LogRow } from './row.ts';

/** Maximum size of a JSON file [bytes]. The file is decoded to one string. */
const MAX_JSON = 256 << 20;

/** Row source with all rows in memory. */
export class TableSource implements RowSource {
  constructor(
    private readonly file: string,
    private readonly table: readonly Columns[],
    private readonly notNumbers = 0,
    readonly floats?: ReadonlySet<string>,
  ) {}

  async *rows(): AsyncGenerator<LocatedRow> {
    for (let index = 0; index < this.table.length; index++) {
      const at = { start: index, end: index + 1, number: index + 1 };
      yield { row: this.row(at), at, notNumbers: index === 0 ? this.notNumbers : 0 };
    }
  }

  async at(position: RowLocation): Promise<LogRow> {
    return this.row(position);
  }

  private row({ start, number }: RowLocation): LogRow {
    return { location: { file: this.file, row: number }, columns: this.table[start] };
  }
}

/**
 * Returns true if a value is a table and not a row: `{columns, data}`, or an object of columns, which are lists or
 * objects by row.
 */
export function isTable(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  if (Array.isArray(value.columns) && Array.isArray(value.data)) return true;
  const { completion } = value;
  // The completion of a row is text or a list of messages. A column is a list of completions or an object by row.
  if (Array.isArray(completion)) return completion.some((cell) => typeof cell === 'string' || Array.isArray(cell));
  return isRecord(completion);
}

/**
 * Reads a JSON file that is one table into memory. The table is a list of rows, an object of columns, or
 * `{columns, data}`. A column is a list or an object by row (the default of pandas' `to_json`). `{columns, data}` is
 * `orient="split"`, and the format of Weights & Biases in `media/table`.
 * Sources: pandas.DataFrame.to_json; wandb/wandb, wandb/sdk/data_types/table.py.
 * @throws {ImportError} for other content
 */
export async function jsonTable(file: LogFile): Promise<TableSource> {
  if (file.byteLength > MAX_JSON) {
    throw new ImportError(
      { file: file.name },
      `a JSON table is read whole and may have ${MAX_JSON >> 20} MB; write it as JSON Lines, which are read line by line`,
    );
  }
  const text = decode(new Uint8Array(await file.slice(0, file.byteLength)), { file: file.name });
  let parsed: ReturnType<typeof parsePythonJson>;
  try {
    parsed = parsePythonJson(text);
  } catch (error) {
    throw new ImportError({ file: file.name }, `not JSON (${(error as Error).message})`);
  }
  return new TableSource(file.name, rowsOf(file.name, parsed.value), parsed.notNumbers);
}

function rowsOf(file: string, value: unknown): Columns[] {
  if (Array.isArray(value)) return value.map((row, index) => checkRow(file, row, index + 1));
  if (!isRecord(value)) throw new ImportError({ file }, `${show(value)} is no table`);
  if (!isTable(value)) return [value];
  if (Array.isArray(value.columns) && Array.isArray(value.data)) return splitRows(file, value.columns, value.data);
  const columns = Object.entries(value).map(([name, cells]) => [name, cellsOf(file, name, cells)] as const);
  const [first] = columns;
  const uneven = columns.find(([, cells]) => cells.length !== first[1].length);
  if (uneven) {
    const lengths = `${uneven[1].length} rows, where "${first[0]}" has ${first[1].length}`;
    throw new ImportError({ file, column: uneven[0] }, lengths);
  }
  return first[1].map((_, index) => Object.fromEntries(columns.map(([name, cells]) => [name, cells[index]])));
}

function splitRows(file: string, names: readonly unknown[], data: readonly unknown[]): Columns[] {
  return data.map((cells, index) => {
    if (Array.isArray(cells) && cells.length === names.length) {
      return Object.fromEntries(names.map((name, column) => [String(name), cells[column]]));
    }
    throw new ImportError({ file, row: index + 1 }, `${show(cells)} is not a list of ${names.length} cells`);
  });
}

function cellsOf(file: string, column: string, cells: unknown): unknown[] {
  if (Array.isArray(cells)) return cells;
  if (isRecord(cells)) return Object.values(cells);
  throw new ImportError({ file, column }, `${show(cells)} is neither a list nor an object of cells`);
}

function checkRow(file: string, row: unknown, number: number): Columns {
  if (isRecord(row)) return row;
  throw new ImportError({ file, row: number }, `${show(row)} is not an object`);
}
