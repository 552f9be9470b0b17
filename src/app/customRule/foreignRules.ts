import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';

const KEY = 'turnwise.foreign-rules';
const LIMIT = 500;

/** Digests of custom rules from run files that the user has not allowed to run. The newest is last. */
let foreign: readonly string[] | undefined;

const isRule = (name: unknown): name is string => typeof name === 'string' && isCustomRuleName(name);
const digest = (rule: string) => bytesToHex(sha256(utf8ToBytes(rule)));

function digests(): readonly string[] {
  if (foreign) return foreign;
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    foreign = Array.isArray(read) ? read.filter((mark) => typeof mark === 'string') : [];
  } catch {
    foreign = [];
  }
  return foreign;
}

function store(all: readonly string[]): void {
  foreign = all.slice(-LIMIT);
  try {
    localStorage.setItem(KEY, JSON.stringify(foreign));
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
