import { expect, test } from 'vitest';
import { fittingRules, measurableRules, refusalOf } from '../../../../src/app/truth/defaults.ts';
import { mtGrpo } from '../../../../src/credit/rules/grpo/mtGrpo.ts';
import { keepResult } from '../../../../src/credit/rules/own/ownRule.ts';
import { ownName } from '../../../../src/credit/rules/own/ownSource.ts';

const own = ownName({ file: 'my_rule.py', values: {}, source: 'def credit(group): ...' });

test('an active custom rule is measured with the other rules if it was computed', () => {
  expect(measurableRules('search')).not.toContain(own);
  expect(measurableRules('search', own)).toContain(own);
  expect(fittingRules('search', own)).toEqual(['grpo-or', own, 'mt-grpo']);
  const group = { ...mtGrpo.example };
  expect(refusalOf(group, own)).toContain('has not been worked out yet');
  keepResult(own, group, { advantage: group.turns.map(() => 0.5), intermediate: {} });
  expect(refusalOf(group, own)).toBeUndefined();
  expect(fittingRules('search', own, group)).toContain(own);
});
