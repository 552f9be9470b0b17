import { printable, quoted } from '../quoting.ts';

/** Maximum length of a column's name or path in a message [characters]. */
const PATH = 80;

/** Location of an error in a trainer's log. Unknown parts are undefined. */
export interface LogLocation {
  readonly file?: string | undefined;
  /** Line of a JSON Lines file, from 1. */
  readonly line?: number | undefined;
  /** Row of a table, from 1. */
  readonly row?: number | undefined;
  /** Name of the column, or a path inside it such as `completion[2].role`. */
  readonly column?: string | undefined;
}

/** Error of a log that cannot be read in its format. The message names the file, line or row, and column. */
export class ImportError extends Error {
  constructor(
    readonly location: LogLocation,
    /** Description of the error, without its location. */
    readonly problem: string,
  ) {
    const parts = [];
    if (location.file !== undefined) parts.push(location.file);
    if (location.line !== undefined) parts.push(`line ${location.line}`);
    if (location.row !== undefined) parts.push(`row ${location.row}`);
    if (location.column !== undefined) parts.push(`column ${quoted(location.column, PATH)}`);
    super(printable(parts.length > 0 ? `${parts.join(', ')}: ${problem}` : problem));
    this.name = 'ImportError';
  }

  /** Returns the error with missing parts of its location added. */
  at(location: LogLocation): ImportError {
    return new ImportError({ ...location, ...this.location }, this.problem);
  }
}
