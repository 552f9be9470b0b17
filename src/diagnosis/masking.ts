/**
 * Patterns of secrets and addresses: keys of common services, bearer tokens, private keys, named assignments, email
 * addresses.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[key]'],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g, '[key]'],
  [/\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|xox[abprs]|npm|pypi)[-_][A-Za-z0-9_-]{10,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[key]'],
  [/\bAIza[A-Za-z0-9_-]{30,}/g, '[key]'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*/g, '[key]'],
  [/\b(Bearer\s+)[A-Za-z0-9._~+/=-]{12,}/gi, '$1[key]'],
  [/((?:api[_-]?key|secret|token|passw(?:or)?d)["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}/gi, '$1[key]'],
  [/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g, '[mail]'],
];

/** Replaces keys in a text by `[key]` and email addresses by `[mail]`. */
export function masked(text: string): string {
  return PATTERNS.reduce((result, [pattern, mask]) => result.replace(pattern, mask), text);
}
