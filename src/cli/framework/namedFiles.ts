/** File that a command line names. */
export interface NamedFile {
  /** Flag without hyphens. Absent for an operand. */
  readonly by?: string;
  readonly file: string;
}

/**
 * Returns the files in one value of a command line. These are the value itself if it is a file name, and rule files in
 * lists such as `mt-grpo,./my_rule.py:alpha=0.5` or `60:rule=./my_rule.py`.
 * @param by flag of the value; undefined for an operand
 * @param isFile true if the value is a file name
 */
export function namedFiles(by: string | undefined, value: string, isFile: boolean): readonly NamedFile[] {
  const rules = value.split(/[,:=]/).map((part) => part.trim());
  const names = new Set([...(isFile ? [value] : []), ...[value, ...rules].filter((name) => name.endsWith('.py'))]);
  return [...names].map((file) => (by === undefined ? { file } : { by, file }));
}
