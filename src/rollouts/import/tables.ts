import type { ColumnData, FileMetaData, SchemaTree } from 'hyparquet';
import { quoted, show } from '../quoting.ts';
import { decode, type LocatedRow, type LogFile, parsePythonJson, type RowLocation, type RowSource } from './logFile.ts';
import { type Columns, ImportError, isRecord, type LogRow } from './row.ts';

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

/** First and last four bytes of a Parquet file. */
const MAGIC = 'PAR1';

/** Returns true if a file is Parquet. */
export async function isParquet(file: LogFile): Promise<boolean> {
  return new TextDecoder().decode(await file.slice(0, Math.min(MAGIC.length, file.byteLength))) === MAGIC;
}

/**
 * Reads a complete Parquet file into memory. TRL writes one file per logged step. All codecs of hyparquet-compressors
 * are supported, for example Snappy, which pandas uses.
 * @throws {ImportError} if the file cannot be read
 */
export async function parquetTable(file: LogFile): Promise<TableSource> {
  // Loaded on demand: most commands and pages never read Parquet.
  const [parquet, { compressors }] = await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  const { parquetMetadataAsync, parquetRead, parquetSchema } = parquet;
  const content = await file.slice(0, file.byteLength);
  const metadata = await understood(file, 'its footer is damaged or cut off', async () => {
    const footer = await parquetMetadataAsync(content);
    checkLayout(footer, parquetSchema(footer));
    return footer;
  });
  const rows = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  const counts = { notNumbers: 0 };
  const columns: (readonly [name: string, values: readonly unknown[]])[] = [];
  const floats = new Set<string>();
  // Columns are read in sequence. If several parallel reads failed, only the first error would be handled.
  for (const { element } of parquetSchema(metadata).children) {
    const { name } = element;
    const values = await understood(file, `its column ${quoted(name)} is damaged`, async () => {
      const read: unknown[] = new Array(rows).fill(null);
      let count = 0;
      // The callback only copies, because no code could catch its errors.
      const onChunk = ({ columnData, rowStart }: ColumnData) => {
        for (let at = 0; at < columnData.length; at++) read[rowStart + at] = columnData[at];
        count += columnData.length;
      };
      await parquetRead({ file: content, metadata, columns: [name], compressors, onChunk });
      if (count !== rows || read.length !== rows) throw new Error(`${count} values for ${rows} rows`);
      return read.map((value) => toJson(value, counts));
    });
    columns.push([name, values]);
    if (/^(DOUBLE|FLOAT)$/.test(element.type ?? '')) floats.add(name);
  }
  const row = (at: number): Columns => Object.fromEntries(columns.map(([name, values]) => [name, values[at]]));
  const table = Array.from({ length: rows }, (_, at) => row(at));
  return new TableSource(file.name, table, counts.notNumbers, floats);
}

/**
 * Reads a part of the file. Messages of the library about unexpected bytes do not help users, so only messages about
 * unsupported features are passed on.
 * @param problem description of the error if the part cannot be read
 * @throws {ImportError} if the part cannot be read
 */
async function understood<Part>(file: LogFile, problem: string, read: () => Promise<Part>): Promise<Part> {
  try {
    return await read();
  } catch (error) {
    const unsupported = /^parquet (unsupported [a-z ]+: [A-Z0-9_]+|[a-z_ ]+ not supported)$/.exec(
      (error as Error).message,
    );
    const reason = unsupported ? unsupported[0].replace('parquet ', '') : problem;
    throw new ImportError({ file: file.name }, `not a Parquet file that can be read: ${reason}`);
  }
}

/**
 * Checks that each row group has each column of the schema once, with at least one value per row. For other files, the
 * library starts reads that it does not await, or returns rows that do not exist.
 * @throws {Error} for another layout
 */
function checkLayout({ row_groups, num_rows }: FileMetaData, schema: SchemaTree): void {
  const expected = leaves(schema).sort();
  if (new Set(expected).size < expected.length) throw new Error('two columns of one name');
  let total = 0n;
  for (const { columns, num_rows: rows } of row_groups) {
    const paths = columns.map(({ meta_data }) => meta_data?.path_in_schema.join(SEPARATOR) ?? '').sort();
    if (paths.length !== expected.length || paths.some((path, index) => path !== expected[index])) {
      throw new Error('columns that the schema does not have');
    }
    if (rows < 0n || columns.some(({ meta_data }) => !meta_data || !(meta_data.num_values >= rows))) {
      throw new Error('more rows than values');
    }
    total += rows;
  }
  if (total !== num_rows) throw new Error('rows are missing');
}

/** Separator of the parts of a column's path. Names can contain dots. */
const SEPARATOR = '\u0000';

/** Returns the paths of the columns with values. */
function leaves({ children }: SchemaTree): string[] {
  return children.flatMap((child) => (child.children.length > 0 ? leaves(child) : [child.path.join(SEPARATOR)]));
}

/** Converts a value to JSON types. A 64-bit integer is a number if that is exact, otherwise text. */
function toJson(value: unknown, counts: { notNumbers: number }): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    counts.notNumbers++;
    return null;
  }
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return { base64: base64(value) };
  if (Array.isArray(value)) return value.map((entry) => toJson(entry, counts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, toJson(entry, counts)]));
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
