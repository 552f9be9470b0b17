import type { RuleSource } from './rule.ts';
import { RULES } from './rules.ts';

/** The formulas and the paper of each rule, by its name. The built page has JSON in place of this file (vitePlugin.ts). */
export const RULE_SOURCES: Readonly<Record<string, RuleSource>> = Object.fromEntries(
  RULES.map(({ name, formula, paper }) => [name, { formula, paper }]),
);
