import type { RuleSource } from './rule.ts';
import { RULES } from './rules.ts';

/** Formulas and paper of each rule, by rule name. The built page has JSON in place of this file (vitePlugin.ts). */
export const RULE_SOURCES: Readonly<Record<string, RuleSource>> = Object.fromEntries(
  RULES.map(({ name, formula, paper }) => [name, { formula, paper }]),
);
