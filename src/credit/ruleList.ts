import type { CreditRule, RuleFacts } from './rule.ts';
import { RULES } from './rules.ts';

/** What is said of every rule, in their order. In the built page data stand in place of this file (vitePlugin.ts). */
export const RULE_FACTS: readonly RuleFacts[] = RULES.map(factsOf);

function factsOf(rule: CreditRule): RuleFacts {
  const { example, laws, worked, credit, compared, stages, outputs, retained, ...facts } = rule;
  return facts;
}
