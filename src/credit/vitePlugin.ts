import { isDeepStrictEqual } from 'node:util';
import type { Plugin } from 'vite';
import { RULE_FACTS } from './ruleList.ts';

/**
 * Gives the built page what is said of the rules as data: their titles, formulas and parameters are wanted at once, their
 * arithmetic only by panels that are loaded later, and it is most of their text. Workers have the rules themselves.
 * @throws {Error} while it builds, where something that is said of a rule is no data
 */
export function ruleFacts(): Plugin {
  return {
    name: 'turnwise-rule-facts',
    apply: 'build',
    load(id) {
      return id.endsWith('/src/credit/ruleList.ts') ? `export const RULE_FACTS = ${asData()};` : undefined;
    },
  };
}

function asData(): string {
  const text = JSON.stringify(RULE_FACTS);
  (JSON.parse(text) as typeof RULE_FACTS).forEach((facts, index) => {
    if (isDeepStrictEqual(facts, RULE_FACTS[index])) return;
    throw new Error(
      `what src/credit says of the rule ${facts.name} is no data; the page's first load takes it as JSON`,
    );
  });
  return text;
}
