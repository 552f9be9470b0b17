import type { ParameterValue } from '../../../parameters/parameters.ts';

/** Prefix of the names of custom rules. */
const PREFIX = 'own:';

/** Custom rule: a Python file with values of its parameters. */
export interface CustomRuleSource {
  /** Name of the file, for titles and messages: `my_rule.py`. */
  readonly file: string;
  /** Values by parameter name. Missing parameters have their defaults. */
  readonly values: Readonly<Record<string, ParameterValue>>;
  readonly source: string;
}

/** Maximum length of a rule's text [characters]. */
export const MAX_SOURCE_LENGTH = 60_000;
const MAX_NAME = 200;

/** Returns true if a rule name has the prefix of custom rules. */
export function isCustomRule(name: unknown): name is string {
  return typeof name === 'string' && name.startsWith(PREFIX);
}

/**
 * Encodes a custom rule as a rule name, with its text and its values. The rule can be created from the name alone.
 * Rules with equal names are equal.
 */
export function encodeCustomRule({ file, values, source }: CustomRuleSource): string {
  const sorted = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return PREFIX + JSON.stringify({ file, values: Object.fromEntries(sorted), source });
}

/** Decodes a custom rule from its name. @throws {RangeError} for a name that encodes no custom rule */
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

/** Returns true if `decodeCustomRule` accepts the text. */
export function isCustomRuleName(text: string): boolean {
  if (!isCustomRule(text)) return false;
  try {
    decodeCustomRule(text);
    return true;
  } catch {
    return false;
  }
}

/** Formats the title of a custom rule: `my_rule.py (alpha 0.5)`. */
export function formatCustomRuleTitle({ file, values }: CustomRuleSource): string {
  const formatted = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return formatted.length === 0 ? file : `${file} (${formatted.join(', ')})`;
}

/**
 * Formats the title with a fingerprint that distinguishes texts of one file: `my_rule.py#1f3a9c2e`. Metrics use it,
 * because the complete text is too long for them.
 */
export function formatCustomRuleLabel(customRule: CustomRuleSource): string {
  return `${formatCustomRuleTitle(customRule)}#${fingerprint(customRule.source)}`;
}

/**
 * Formats a short identifier of a custom rule: `own-1f3a9c2e`. It replaces the name if the name is too long and the
 * rule is not run.
 */
export function formatCustomRuleId(name: string): string {
  return `own-${fingerprint(name)}`;
}

/** Computes the 32-bit FNV-1a hash of a text. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
