/** A file that a command line names. */
export interface NamedFile {
  /** The flag, without hyphens; absent for an operand. */
  readonly by?: string;
  readonly file: string;
}

/**
 * Returns the files in one value of a command line: the value itself if it is the name of a file, and rule files in lists
 * such as `mt-grpo,./my_rule.py:alpha=0.5` or `60:rule=./my_rule.py`.
 * @param by the flag; undefined for an operand
 */
export function namedFiles(by: string | undefined, value: string, isFile: boolean): readonly NamedFile[] {
  const rules = value.split(/[,:=]/).map((part) => part.trim());
  const names = new Set([...(isFile ? [value] : []), ...[value, ...rules].filter((name) => name.endsWith('.py'))]);
  return [...names].map((file) => (by === undefined ? { file } : { by, file }));
}
