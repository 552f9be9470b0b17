/** The package's own files: the rules to start from, and what they import from `turnwise`. Each is loaded when it is wanted. */
const files = import.meta.glob<string>('../../../python/turnwise_rl/rules/*.py', { query: '?raw', import: 'default' });
const library = import.meta.glob<string>('../../../python/turnwise_rl/core.py', { query: '?raw', import: 'default' });

/** The file of a rule such as `mt-grpo`. @throws {Error} where there is none, or where it cannot be loaded */
export function ruleText(name: string): Promise<string> {
  const load = files[`../../../python/turnwise_rl/rules/${name.replaceAll('-', '_')}.py`];
  return load ? load() : Promise.reject(new Error(`the rule ${name} has no file`));
}

export function libraryText(): Promise<string> {
  const [load] = Object.values(library);
  return load ? load() : Promise.reject(new Error('the library of rules is missing'));
}
