const KEY = 'turnwise.rules';
const MAX_RULES = 50;

/** A stored rule. */
export interface StoredRule {
  readonly source: string;
  /** It came with a link or a file, and the user has not allowed it to run. */
  readonly isForeign: boolean;
}

/** All stored rules by name, if the browser allows storage. A text is a rule that may run; an object is one that may not run yet. */
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

/** The stored rules that may run, by name. */
export function savedRules(): Readonly<Record<string, string>> {
  const trusted = Object.entries(storedRules()).filter(([, { isForeign }]) => !isForeign);
  return Object.fromEntries(trusted.map(([name, { source }]) => [name, source]));
}

/** Stores a rule under a name, in place of one of the same name. @returns false if the browser does not store it */
export function storeRule(name: string, rule: StoredRule): boolean {
  const rest = Object.entries(storedRules()).filter(([key]) => key !== name);
  // No rule of the user is removed: a rule beyond the maximum is refused.
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
