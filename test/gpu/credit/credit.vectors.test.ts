import { expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import { expectCredit } from '../../creditExpectations.ts';
import { creditCases, rulesWithCases } from '../../vectorFile.ts';
import { useCreditHarness } from './creditHarness.ts';

const fixture = useCreditHarness();

test.each(rulesWithCases())('%s on the GPU agrees with credit.json to 1e-4', async (name) => {
  const rule = findRule(name);
  const cases = creditCases(name);
  for (const testCase of cases) {
    const [credit] = await fixture.run([testCase.group], rule, testCase.parameters);
    expectCredit(credit, testCase, 1e-4);
  }

  // All groups with the same parameters form one batch: no group may change the credit of another.
  const keys = new Set(cases.map(({ parameters }) => JSON.stringify(parameters)));
  const sets = [...keys].map((key) => cases.filter(({ parameters }) => JSON.stringify(parameters) === key));
  expect(Math.max(...sets.map((set) => set.length))).toBeGreaterThan(1);
  for (const set of sets) {
    const credits = await fixture.run(
      set.map(({ group }) => group),
      rule,
      set[0].parameters,
    );
    credits.forEach((credit, index) => {
      expectCredit(credit, set[index], 1e-4);
    });
  }
});
