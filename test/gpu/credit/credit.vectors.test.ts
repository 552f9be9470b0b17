import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRule } from '../../../src/credit/rules.ts';
import { expectCredit } from '../../creditExpectations.ts';
import { creditCases, rulesWithCases } from '../../vectorFile.ts';
import { type CreditBench, creditBench } from './creditBench.ts';

let bench: CreditBench;
beforeAll(async () => {
  bench = await creditBench();
});
afterAll(() => bench?.destroy());

test.each(rulesWithCases())('%s on the GPU agrees with credit.json to 1e-4', async (name) => {
  const rule = findRule(name);
  const cases = creditCases(name);
  for (const one of cases) {
    const [credit] = await bench.run([one.group], rule, one.parameters);
    expectCredit(credit, one, 1e-4);
  }

  // All groups with the same parameters as one batch: groups must not leak into one another.
  const keys = new Set(cases.map(({ parameters }) => JSON.stringify(parameters)));
  const sets = [...keys].map((key) => cases.filter(({ parameters }) => JSON.stringify(parameters) === key));
  expect(Math.max(...sets.map((set) => set.length))).toBeGreaterThan(1);
  for (const set of sets) {
    const credits = await bench.run(
      set.map(({ group }) => group),
      rule,
      set[0].parameters,
    );
    credits.forEach((credit, index) => {
      expectCredit(credit, set[index], 1e-4);
    });
  }
});
