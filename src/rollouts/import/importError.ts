import { printable, quoted } from '../quoting.ts';

/** Characters of a column's name or path that are shown. */
const PATH = 80;

/** Place of an error in a trainer's log; parts that are not known are left out. */
export interface LogLocation {
  readonly file?: string | undefined;
  /** Line of a line file, from 1. */
  readonly line?: number | undefined;
  /** Row of a table, from 1. */
  readonly row?: number | undefined;
  /** Name of the column, or a path inside it such as `completion[2].role`. */
  readonly column?: string | undefined;
}

/** A log that cannot be read as what it is said to be; the message names file, line or row, and column. */
export class ImportError extends Error {
  constructor(
    readonly location: LogLocation,
    /** Description of the error, without the place. */
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

  /** The same error with more of its place known. */
  at(location: LogLocation): ImportError {
    return new ImportError({ ...location, ...this.location }, this.problem);
  }
}
