import type { ParameterValue } from '../../../parameters/parameters.ts';

/** Prefix of a custom rule among the names of rules. */
const PREFIX = 'own:';

/** A rule as a file of Python, with values of its parameters. */
export interface CustomRuleSource {
  /** For people and messages: `my_rule.py`. */
  readonly file: string;
  /** By the names of the rule's parameters; the others have their defaults. */
  readonly values: Readonly<Record<string, ParameterValue>>;
  readonly source: string;
}

/** Characters of a rule's text: what it takes to read it. */
export const MAX_SOURCE_LENGTH = 60_000;
const MAX_NAME = 200;

/** True if a name of a rule is that of a custom rule. */
export function isCustomRule(name: unknown): name is string {
  return typeof name === 'string' && name.startsWith(PREFIX);
}

/**
 * The name that a custom rule has in all places with names of rules: all of it, text and values. The name is enough to
 * build the rule, and two rules of one name are the same rule.
 */
export function encodeCustomRule({ file, values, source }: CustomRuleSource): string {
  const sorted = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return PREFIX + JSON.stringify({ file, values: Object.fromEntries(sorted), source });
}

/** The rule that a name says. @throws {RangeError} for what is none */
export function decodeCustomRule(name: string): CustomRuleSource {
  const fail = (message: string): never => {
    throw new RangeError(`a custom credit rule ${message}`);
  };
  let read: Partial<CustomRuleSource> | null = null;
  try {
    read = JSON.parse(name.slice(PREFIX.length)) as Partial<CustomRuleSource> | null;
  } catch {
    fail('is not JSON');
  }
  const { file, values, source } = read ?? {};
  if (typeof file !== 'string' || file === '' || file.length > MAX_NAME) return fail('needs the name of its file');
  if (typeof source !== 'string') return fail('needs its source');
  if (source.length > MAX_SOURCE_LENGTH) return fail(`has ${source.length} characters, more than ${MAX_SOURCE_LENGTH}`);
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return fail('needs its values');
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== 'string' && !Number.isFinite(value)) return fail(`has no number or text as its value ${key}`);
  }
  return { file, values, source };
}

/** True if a text is a name that `decodeCustomRule` accepts. */
export function isCustomRuleName(text: string): boolean {
  if (!isCustomRule(text)) return false;
  try {
    decodeCustomRule(text);
    return true;
  } catch {
    return false;
  }
}

/** `my_rule.py (alpha 0.5)`. */
export function formatCustomRuleTitle({ file, values }: CustomRuleSource): string {
  const formatted = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return formatted.length === 0 ? file : `${file} (${formatted.join(', ')})`;
}

/**
 * The title with a mark that distinguishes the texts of one file: `my_rule.py#1f3a9c2e`. For metrics, for which the
 * whole text is too long.
 */
export function formatCustomRuleLabel(customRule: CustomRuleSource): string {
  return `${formatCustomRuleTitle(customRule)}#${fingerprint(customRule.source)}`;
}

/**
 * Short mark of a custom rule, for places in which the whole name is too long and the rule is not run: `own-1f3a9c2e`.
 */
export function formatCustomRuleId(name: string): string {
  return `own-${fingerprint(name)}`;
}

/** FNV-1a, 32 bits. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
