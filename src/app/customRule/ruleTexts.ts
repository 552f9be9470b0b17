/**
 * Files of the Python package `turnwise_rl`, loaded on request: the built-in rules, and the library that they import.
 */
const files = import.meta.glob<string>('../../../python/turnwise_rl/rules/*.py', { query: '?raw', import: 'default' });
const library = import.meta.glob<string>('../../../python/turnwise_rl/core.py', { query: '?raw', import: 'default' });

/** Loads the Python file of a rule such as `mt-grpo`. @throws {Error} if the file does not exist or cannot be loaded */
export function ruleText(name: string): Promise<string> {
  const load = files[`../../../python/turnwise_rl/rules/${name.replaceAll('-', '_')}.py`];
  return load ? load() : Promise.reject(new Error(`the rule "${name}" has no Python file`));
}

export function libraryText(): Promise<string> {
  const [load] = Object.values(library);
  return load ? load() : Promise.reject(new Error('the Python library of credit rules is missing'));
}
