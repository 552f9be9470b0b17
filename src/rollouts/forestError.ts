/** Where something is wrong in a file or batch of groups; parts that are not known are left out. */
export interface ForestPlace {
  /** Line of the file, from 1. */
  readonly line?: number | undefined;
  /** Id of the group. */
  readonly group?: string | undefined;
  /** Index of the turn in its group, from 0. */
  readonly turn?: number | undefined;
  readonly field?: string | undefined;
}

/** Groups that cannot be read; the message names line, group, turn and field as far as they are known. */
export class ForestError extends Error {
  readonly line: number | undefined;
  readonly group: string | undefined;
  readonly turn: number | undefined;
  readonly field: string | undefined;

  constructor(
    place: ForestPlace,
    /** What is wrong, without the place. */
    readonly problem: string,
  ) {
    const parts = [];
    if (place.line !== undefined) parts.push(`line ${place.line}`);
    if (place.group !== undefined) parts.push(`group "${place.group}"`);
    if (place.turn !== undefined) parts.push(`turn ${place.turn}`);
    if (place.field !== undefined) parts.push(`field "${place.field}"`);
    super(parts.length > 0 ? `${parts.join(', ')}: ${problem}` : problem);
    this.name = 'ForestError';
    this.line = place.line;
    this.group = place.group;
    this.turn = place.turn;
    this.field = place.field;
  }

  /** The same error, found on a line of a file. */
  at(line: number): ForestError {
    return new ForestError({ line, group: this.group, turn: this.turn, field: this.field }, this.problem);
  }
}
