import { printable, quoted } from './quoting.ts';

/** Place of an error in a file or batch of groups; parts that are not known are left out. */
export interface ForestLocation {
  /** Name of the file, or a name that replaces it. */
  readonly file?: string | undefined;
  /** Line of the file, from 1. */
  readonly line?: number | undefined;
  /** Id of the group. */
  readonly group?: string | undefined;
  /** Index of the turn in its group, from 0. */
  readonly turn?: number | undefined;
  readonly field?: string | undefined;
}

/** Groups that cannot be read; the message names file, line, group, turn and field as far as they are known. */
export class ForestError extends Error {
  readonly line: number | undefined;
  readonly group: string | undefined;
  readonly turn: number | undefined;
  readonly field: string | undefined;

  constructor(
    private readonly location: ForestLocation,
    /** Description of the error, without the place. */
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

  /** The same error, found on a line of a file. */
  at(line: number): ForestError {
    return new ForestError({ ...this.location, line }, this.problem);
  }

  /** The same error, with the name of the file. */
  of(file: string): ForestError {
    return new ForestError({ ...this.location, file }, this.problem);
  }
}
