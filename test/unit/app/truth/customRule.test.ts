import { expect, test } from 'vitest';
import { findCreditProblem, fittingRules, measurableRules } from '../../../../src/app/truth/truthForm.ts';
import { TWO_TURNS } from '../../../../src/credit/explanation/examples.ts';
import { encodeCustomRule, saveResult } from '../../../../src/credit/rules/custom/customRule.ts';

const customRule = encodeCustomRule({ file: 'my_rule.py', values: {}, source: 'def credit(group): ...' });

test('an active custom rule is measured with the other rules after its credit is computed', () => {
  expect(measurableRules('search')).not.toContain(customRule);
  expect(measurableRules('search', customRule)).toContain(customRule);
  expect(fittingRules('search', customRule)).toEqual(['grpo-or', customRule, 'mt-grpo']);
  const group = { ...TWO_TURNS };
  expect(findCreditProblem(group, customRule)).toContain('has not been computed yet');
  saveResult(customRule, group, { advantage: group.turns.map(() => 0.5), intermediate: {} });
  expect(findCreditProblem(group, customRule)).toBeUndefined();
  expect(fittingRules('search', customRule, group)).toContain(customRule);
});
