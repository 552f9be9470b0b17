import { expect, test } from 'vitest';
import { ruleFamilies } from '../../../../src/app/address/pageTables.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';

const names = (...args: Parameters<typeof ruleFamilies>) =>
  ruleFamilies(...args).flatMap(([, rules]) => rules.map(({ name }) => name));

test('the rule menu omits only the rules that do not support the settings of the run', () => {
  const all = names('repair');
  const { settings } = defaultConfiguration('repair');
  const plain = names('repair', settings);
  expect(all.filter((name) => !plain.includes(name))).toEqual(['tapo']);
  const written = names('repair', { ...settings, verification: 'written' });
  expect(written).toContain('tapo');
  expect(all.filter((name) => !written.includes(name)).sort()).toEqual(
    ['murphy-mars', 'murphy-mers', 'tree-grpo', 'turn-credit', 'verpo'].sort(),
  );
  const search = defaultConfiguration('search');
  expect(names('search', search.settings)).toEqual(names('search'));
});
