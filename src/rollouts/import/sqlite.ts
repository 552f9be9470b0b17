import type { LogFile } from './logFile.ts';
import { type Columns, ImportError } from './row.ts';
import { TableSource } from './tables.ts';

/** Byte positions of the write and read versions of the format: 1 for a rollback journal, 2 for a write-ahead log. */
const VERSIONS = [18, 19];
/** Maximum size of a database, which is read into memory [bytes]. */
const MAXIMUM = 512 << 20;
/** Name of Trackio's table. */
const TABLE = 'traces';

/**
 * Reads the complete table `traces` of a SQLite database.
 * @throws {ImportError} if the database lacks the table, is damaged, or exceeds 512 MB
 */
export async function sqliteTable(file: LogFile): Promise<TableSource> {
  const refuse = (problem: string): never => {
    throw new ImportError({ file: file.name }, problem);
  };
  if (file.byteLength > MAXIMUM)
    refuse(`a SQLite database is read whole and may have ${MAXIMUM >> 20} MB; export the table ${TABLE} as Parquet`);
  const bytes = new Uint8Array(await file.slice(0, file.byteLength));
  // A write-ahead log needs shared memory, which this WebAssembly build lacks. A rollback journal does not need it.
  for (const at of VERSIONS) bytes[at] = 1;
  // Loaded on demand: most commands never read SQLite.
  const { default: load } = await import('sql.js/dist/sql-wasm-inline.js');
  const { Database } = await load();
  const database = new Database(bytes);
  const rowsOf = (query: string): readonly Columns[] => {
    const statement = database.prepare(query);
    const rows: Columns[] = [];
    while (statement.step()) rows.push(withTexts(statement.getAsObject()));
    statement.free();
    return rows;
  };
  try {
    const names = rowsOf("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").map(({ name }) =>
      String(name),
    );
    if (!names.includes(TABLE))
      refuse(`a SQLite database without the table ${TABLE} of Trackio; it has ${names.join(', ') || 'no table'}`);
    return new TableSource(file.name, rowsOf(`SELECT * FROM ${TABLE} ORDER BY rowid`));
  } catch (error) {
    if (error instanceof ImportError) throw error;
    return refuse(`not a SQLite database that can be read (${(error as Error).message})`);
  } finally {
    database.close();
  }
}

/** Decodes the byte columns of a row, because Trackio stores JSON as bytes. */
function withTexts(row: Record<string, unknown>): Columns {
  const text = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]));
}
