const KEY = 'turnwise.rules';
const MAX_RULES = 50;

/** Rule stored in this browser. */
export interface StoredRule {
  readonly source: string;
  /** True if the rule is from a link or a file and the user has not allowed it to run. */
  readonly isForeign: boolean;
}

/**
 * Returns all stored rules by name. They are empty if the browser refuses storage. In storage, a string is a rule that
 * may run, and an object is a rule that the user has not allowed to run.
 */
export function storedRules(): Readonly<Record<string, StoredRule>> {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(
      Object.entries(read).flatMap(([name, value]: [string, unknown]): [string, StoredRule][] => {
        if (typeof value === 'string') return [[name, { source: value, isForeign: false }]];
        const source: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'foreign') : undefined;
        return typeof source === 'string' ? [[name, { source, isForeign: true }]] : [];
      }),
    );
  } catch {
    return {};
  }
}

/** Returns the stored rules that may run, by name. */
export function savedRules(): Readonly<Record<string, string>> {
  const trusted = Object.entries(storedRules()).filter(([, { isForeign }]) => !isForeign);
  return Object.fromEntries(trusted.map(([name, { source }]) => [name, source]));
}

/** Stores a rule and replaces a rule with the same name. @returns false if the rule was not stored */
export function storeRule(name: string, rule: StoredRule): boolean {
  const rest = Object.entries(storedRules()).filter(([key]) => key !== name);
  // A rule beyond the maximum is refused, because no rule of the user may be removed.
  if (rest.length >= MAX_RULES) return false;
  const entries = [...rest, [name, rule] as const].map(([key, { source, isForeign }]) => [
    key,
    isForeign ? { foreign: source } : source,
  ]);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(entries)));
    return true;
  } catch {
    return false;
  }
}
