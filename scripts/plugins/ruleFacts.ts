import { isDeepStrictEqual } from 'node:util';
import type { Plugin } from 'vite';
import { RULE_FACTS } from '../../src/credit/ruleList.ts';
import { RULE_SOURCES } from '../../src/credit/ruleSources.ts';

/**
 * Creates a plugin that replaces two modules of the built page with JSON. The first load requires the facts of the
 * rules; later panels require the formulas and papers. The arithmetic is most of the text of the rules, and loads with
 * the panels that use it.
 * @throws {Error} during the build, for facts or sources that JSON cannot represent
 */
export function ruleFacts(): Plugin {
  return {
    name: 'turnwise-rule-facts',
    apply: 'build',
    load(id) {
      if (id.endsWith('/src/credit/ruleList.ts'))
        return `export const RULE_FACTS = ${asJson('RULE_FACTS', RULE_FACTS)};`;
      if (id.endsWith('/src/credit/ruleSources.ts'))
        return `export const RULE_SOURCES = ${asJson('RULE_SOURCES', RULE_SOURCES)};`;
      return undefined;
    },
  };
}

function asJson(name: string, value: object): string {
  const text = JSON.stringify(value);
  for (const [key, read] of Object.entries(JSON.parse(text) as object)) {
    if (isDeepStrictEqual(read, (value as Record<string, unknown>)[key])) continue;
    throw new Error(`${name} of src/credit, entry ${key} (${read.name ?? key}): JSON does not hold all of its values`);
  }
  return text;
}
