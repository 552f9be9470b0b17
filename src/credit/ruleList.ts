import type { CreditRule, RuleFacts } from './rule.ts';
import { RULES } from './rules.ts';

/** Facts of all rules, in the order of RULES. The built page has JSON in place of this file (vitePlugin.ts). */
export const RULE_FACTS: readonly RuleFacts[] = RULES.map(factsOf);

function factsOf(rule: CreditRule): RuleFacts {
  const { example, laws, worked, credit, compared, stages, outputs, retained, formula, paper, ...facts } = rule;
  return facts;
}
