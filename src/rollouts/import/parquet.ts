import type { ColumnData, FileMetaData, SchemaTree } from 'hyparquet';
import { quoted } from '../quoting.ts';
import { ImportError } from './importError.ts';
import type { LogFile } from './logFile.ts';
import { type Columns, isRecord } from './row.ts';
import { TableSource } from './table.ts';

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
