import { printable, quoted } from '../../rollouts/quoting.ts';

/** Maximum number of characters of a field's name or path in a message. */
const LONGEST_FIELD = 80;

/** Error for a task file that cannot be read. The message names the file, line and field if they are known. */
export class TaskError extends Error {
  constructor(
    /** Line of the file, from 1; 0 for the entire file. */
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

  /** Returns the same error with the name of the file. */
  inFile(file: string): TaskError {
    return new TaskError(this.line, this.field, this.problem, file);
  }
}
