/**
 * Files of the package: the rules to start from, and the files that they import from `turnwise`. Each is loaded on
 * request.
 */
const files = import.meta.glob<string>('../../../python/turnwise_rl/rules/*.py', { query: '?raw', import: 'default' });
const library = import.meta.glob<string>('../../../python/turnwise_rl/core.py', { query: '?raw', import: 'default' });

/** Returns the file of a rule such as `mt-grpo`. @throws {Error} if there is no such file, or if it cannot be loaded */
export function ruleText(name: string): Promise<string> {
  const load = files[`../../../python/turnwise_rl/rules/${name.replaceAll('-', '_')}.py`];
  return load ? load() : Promise.reject(new Error(`the rule "${name}" has no Python file`));
}

export function libraryText(): Promise<string> {
  const [load] = Object.values(library);
  return load ? load() : Promise.reject(new Error('the Python library of credit rules is missing'));
}
