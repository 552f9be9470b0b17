import { printable, quoted } from './quoting.ts';

/** Location of an error in a file or batch of groups. Unknown parts are undefined. */
export interface ForestLocation {
  /** Name of the file, or a label such as "standard input". */
  readonly file?: string | undefined;
  /** Line of the file, from 1. */
  readonly line?: number | undefined;
  /** Id of the group. */
  readonly group?: string | undefined;
  /** Index of the turn in its group, from 0. */
  readonly turn?: number | undefined;
  readonly field?: string | undefined;
}

/** Error of groups that cannot be read. The message names the file, line, group, turn and field that are known. */
export class ForestError extends Error {
  readonly line: number | undefined;
  readonly group: string | undefined;
  readonly turn: number | undefined;
  readonly field: string | undefined;

  constructor(
    private readonly location: ForestLocation,
    /** Description of the error, without its location. */
    readonly problem: string,
  ) {
    const { file, line, group, turn, field } = location;
    const parts = [];
    if (file !== undefined) parts.push(file);
    if (line !== undefined) parts.push(`line ${line}`);
    if (group !== undefined) parts.push(`group ${quoted(group)}`);
    if (turn !== undefined) parts.push(`turn ${turn}`);
    if (field !== undefined) parts.push(`field ${quoted(field)}`);
    super(printable(parts.length > 0 ? `${parts.join(', ')}: ${problem}` : problem));
    this.name = 'ForestError';
    this.line = line;
    this.group = group;
    this.turn = turn;
    this.field = field;
  }

  /** Returns the error with a line number. */
  at(line: number): ForestError {
    return new ForestError({ ...this.location, line }, this.problem);
  }

  /** Returns the error with the name of a file. */
  of(file: string): ForestError {
    return new ForestError({ ...this.location, file }, this.problem);
  }
}
