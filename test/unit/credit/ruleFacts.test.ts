import { expect, test } from 'vitest';
import { ruleFacts } from '../../../scripts/plugins/ruleFacts.ts';
import { RULE_FACTS } from '../../../src/credit/ruleList.ts';
import { RULE_SOURCES } from '../../../src/credit/ruleSources.ts';
import { RULES } from '../../../src/credit/rules.ts';

const load = ruleFacts().load as (id: string) => string | undefined;
const built = (module: string) =>
  import(`data:text/javascript,${encodeURIComponent(load(`/any/src/credit/${module}`) ?? '')}`);

test('the built page has the facts of every rule as JSON, without arithmetic, formulas and papers', async () => {
  expect((await built('ruleList.ts')).RULE_FACTS).toEqual(RULE_FACTS);
  expect(RULE_FACTS.map(({ name }) => name)).toEqual(RULES.map(({ name }) => name));
  for (const facts of RULE_FACTS) {
    for (const key of ['credit', 'formula', 'paper']) expect(facts).not.toHaveProperty(key);
  }
});

test('the built page has the formulas and the paper of every rule as JSON', async () => {
  const { RULE_SOURCES: sources } = await built('ruleSources.ts');
  expect(sources).toEqual(RULE_SOURCES);
  for (const { name, formula, paper } of RULES) expect(sources[name]).toEqual({ formula, paper });
});

test('the Vite plugin returns no replacement for other modules of src/credit', () => {
  expect(load('/any/src/credit/rules.ts')).toBeUndefined();
});
