import { expect, test } from 'vitest';
import { RULE_FACTS } from '../../../src/credit/ruleList.ts';
import { RULES } from '../../../src/credit/rules.ts';
import { ruleFacts } from '../../../src/credit/vitePlugin.ts';

const load = ruleFacts().load as (id: string) => string | undefined;

test('the built page has what is said of every rule as data, and nothing of its arithmetic', async () => {
  const text = load('/any/src/credit/ruleList.ts') ?? '';
  const built = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  expect(built.RULE_FACTS).toEqual(RULE_FACTS);
  expect(RULE_FACTS.map(({ name }) => name)).toEqual(RULES.map(({ name }) => name));
  for (const facts of RULE_FACTS) expect(facts).not.toHaveProperty('credit');
});

test('other files stay as they are', () => {
  expect(load('/any/src/credit/rules.ts')).toBeUndefined();
});
