import { printable, quoted } from '../../rollouts/quoting.ts';

/** Characters of a field's name or path that a message shows. */
const LONGEST_FIELD = 80;

/** A file of tasks that cannot be read; the message names file, line and field as far as they are known. */
export class TaskError extends Error {
  constructor(
    /** Line of the file, from 1; 0 for the whole file. */
    readonly line: number,
    /** Field of the line, for example `tests[2].args`. */
    readonly field: string | undefined,
    readonly problem: string,
    readonly file?: string,
  ) {
    const position = [
      ...(file === undefined ? [] : [file]),
      ...(line > 0 ? [`line ${line}`] : []),
      ...(field === undefined ? [] : [`field ${quoted(field, LONGEST_FIELD)}`]),
    ];
    super(printable(position.length > 0 ? `${position.join(', ')}: ${problem}` : problem));
    this.name = 'TaskError';
  }

  /** The same error, naming the file. */
  inFile(file: string): TaskError {
    return new TaskError(this.line, this.field, this.problem, file);
  }
}
