const KEY = 'turnwise.rules';
const MOST = 50;

/** The visitor's rules by name, kept in the browser where it allows that. */
export function keptRules(): Readonly<Record<string, string>> {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(Object.entries(read).filter(([, text]) => typeof text === 'string'));
  } catch {
    return {};
  }
}

/** Keeps a rule under a name, in the place of one that has it already. @returns false where the browser does not keep it */
export function keepRule(name: string, source: string): boolean {
  const others = Object.entries(keptRules()).filter(([other]) => other !== name);
  // Nothing of the visitor's is thrown away: where there are too many, this one is refused.
  if (others.length >= MOST) return false;
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries([...others, [name, source]])));
    return true;
  } catch {
    return false;
  }
}
