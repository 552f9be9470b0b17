import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';

const RULES_KEY = 'turnwise.rules';
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
    const read: unknown = JSON.parse(localStorage.getItem(RULES_KEY) ?? '{}');
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
    localStorage.setItem(RULES_KEY, JSON.stringify(Object.fromEntries(entries)));
    return true;
  } catch {
    return false;
  }
}

const FOREIGN_KEY = 'turnwise.foreign-rules';
const LIMIT = 500;

/** Digests of custom rules from run files that the user has not allowed to run. The newest is last. */
let foreign: readonly string[] | undefined;

const isRule = (name: unknown): name is string => typeof name === 'string' && isCustomRuleName(name);
const digest = (rule: string) => bytesToHex(sha256(utf8ToBytes(rule)));

function digests(): readonly string[] {
  if (foreign) return foreign;
  try {
    const read: unknown = JSON.parse(localStorage.getItem(FOREIGN_KEY) ?? '[]');
    foreign = Array.isArray(read) ? read.filter((mark) => typeof mark === 'string') : [];
  } catch {
    foreign = [];
  }
  return foreign;
}

function store(all: readonly string[]): void {
  foreign = all.slice(-LIMIT);
  try {
    localStorage.setItem(FOREIGN_KEY, JSON.stringify(foreign));
  } catch {
    // In a frame without storage, the marks last until the page is closed.
  }
}

/** Marks custom rules, by their names, as not allowed to run. Other names are ignored. */
export function markForeign(rules: readonly unknown[]): void {
  const marked = rules.filter(isRule).map(digest);
  if (marked.length > 0) store([...digests().filter((mark) => !marked.includes(mark)), ...marked]);
}

export function allowRule(rule: string): void {
  const allowed = digest(rule);
  if (digests().includes(allowed)) store(digests().filter((mark) => mark !== allowed));
}

/** Returns the first of these rules that the user has not allowed to run, or undefined if all may run. */
export function findForeign(rules: readonly unknown[]): string | undefined {
  return rules.filter(isRule).find((rule) => digests().includes(digest(rule)));
}
