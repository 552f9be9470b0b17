import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRule, RULES } from '../../src/credit/rules.ts';
import { creditCases, expectClose } from '../vectorFile.ts';
import { type CreditBench, creditBench } from './creditBench.ts';

let bench: CreditBench;
beforeAll(async () => {
  bench = await creditBench({ turns: 1024, trajectories: 1024, groups: 64 });
});
afterAll(() => bench?.destroy());

test.each(RULES.map((rule) => rule.name))('%s on the GPU agrees with credit.json to 1e-4', async (name) => {
  const rule = findRule(name);
  const cases = creditCases(name);
  for (const { group, parameters, expected } of cases) {
    expectClose(await bench.advantages([group], rule, parameters), expected.advantage, 1e-4);
  }

  // All groups with the parameters of the first as one batch: segments must not leak into one another.
  const alike = cases.filter(({ parameters }) => JSON.stringify(parameters) === JSON.stringify(cases[0].parameters));
  expect(alike.length).toBeGreaterThan(1);
  const batch = await bench.advantages(
    alike.map(({ group }) => group),
    rule,
    cases[0].parameters,
  );
  expectClose(
    batch,
    alike.flatMap(({ expected }) => expected.advantage),
    1e-4,
  );
});
