import { expect, test } from 'vitest';
import { fittingRules, measurableRules, refusalOf } from '../../../../src/app/truth/defaults.ts';
import { mtGrpo } from '../../../../src/credit/rules/grpo/mtGrpo.ts';
import { keepResult } from '../../../../src/credit/rules/own/ownRule.ts';
import { ownName } from '../../../../src/credit/rules/own/ownSource.ts';

const customRule = ownName({ file: 'my_rule.py', values: {}, source: 'def credit(group): ...' });

test('an active custom rule is measured with the other rules if it was computed', () => {
  expect(measurableRules('search')).not.toContain(customRule);
  expect(measurableRules('search', customRule)).toContain(customRule);
  expect(fittingRules('search', customRule)).toEqual(['grpo-or', customRule, 'mt-grpo']);
  const group = { ...mtGrpo.example };
  expect(refusalOf(group, customRule)).toContain('has not been worked out yet');
  keepResult(customRule, group, { advantage: group.turns.map(() => 0.5), intermediate: {} });
  expect(refusalOf(group, customRule)).toBeUndefined();
  expect(fittingRules('search', customRule, group)).toContain(customRule);
});
