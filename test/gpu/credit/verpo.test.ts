import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../../src/credit/arithmetic/normalize.ts';
import { CreditError } from '../../../src/credit/creditError.ts';
import { findRule } from '../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { CounterRandom } from '../../../src/random/counter.ts';
import type { Group, Turn } from '../../../src/rollouts/forest.ts';
import { expectSameCredit } from '../../creditExpectations.ts';
import { randomGroups } from '../../randomForests.ts';
import { useCreditHarness } from './creditHarness.ts';

const harness = useCreditHarness();

const verpo = findRule('verpo');

function expectAgreement(groups: readonly Group[], parameters: ParameterValues): Promise<void> {
  return harness.expectAgreement(groups, verpo, parameters);
}

/** Creates a group of rollouts with one turn each and without outcomes. */
function turns(passed: readonly (readonly number[])[], id = 'group'): Group {
  return { id, turns: passed.map((results) => ({ parent: -1, reward: 0, passed: results })) };
}

function drawn(seed: number, turnCount: number, tests: number): Group {
  const random = new CounterRandom(seed, 2);
  const draw = () => Array.from({ length: tests }, (_, test) => Number(random.integer(tests) >= test / 2));
  return turns(Array.from({ length: turnCount }, draw), `${turnCount} turns, ${tests} tests`);
}

describe('VeRPO agrees with float64', () => {
  test.each<ParameterValues>([
    { turn: 'pass-rate' },
    { turn: 'difficulty' },
    { turn: 'failure-rate' },
    { turn: 'failure-rate', alpha: 0 },
    { turn: 'failure-rate', alpha: 0.3, norm: 'std' },
    { turn: 'failure-rate', alpha: 10 },
    { turn: 'none' },
    { trajectory: 'false' },
    { turn: 'none', trajectory: 'false' },
    { norm: 'std' },
    { norm: 'std', turn: 'difficulty', alpha: 10 },
    { alpha: 0 },
    { alpha: 10 },
    { beta: 0 },
    { beta: 5, decay: 0 },
    { decay: 1 },
    { bandwidth: 0.01 },
    { bandwidth: 1e-9 },
    { bandwidth: 1 },
  ])('VeRPO agrees with float64 on random forests, %j', async (parameters) => {
    await expectAgreement(randomGroups(verpo, 11), parameters);
  });

  test.each(Object.keys(PROFILES))('VeRPO with norm std and profile %s agrees with float64', async (profile) => {
    await expectAgreement(randomGroups(verpo, 12), { norm: 'std', profile });
  });

  test('VeRPO agrees with float64 if the test results end within, at and after a 32-bit word', async () => {
    const groups = [1, 31, 32, 33, 64, 65, 200].flatMap((turnCount) => {
      return [1, 2, 63, 64, 65, 256].map((tests) => drawn(turnCount * tests, turnCount, tests));
    });
    await expectAgreement(groups, {});
    await expectAgreement(groups, { norm: 'std' });
    await expectAgreement(groups, { turn: 'failure-rate' });
  });

  test('VeRPO agrees with float64 if powers of failure rates underflow in 32 bits, or no test fails', async () => {
    // In 30,000 turns the second test fails once and the third twice. 30,000^-10 underflows; the ratio 2^10 : 1 does
    // not.
    const rare = turns(Array.from({ length: 30_000 }, (_, turn) => [1, Number(turn !== 7), Number(turn > 1)]));
    const never = turns(new Array(40).fill([1, 1, 1]));
    await expectAgreement([rare, never], { turn: 'failure-rate', alpha: 10 });
    const [{ intermediate }] = await harness.run([never], verpo, { turn: 'failure-rate' });
    expect([...intermediate.weights]).toEqual(new Array(3).fill(Math.fround(1 / 3)));
  });

  test('VeRPO agrees with float64 on pass rates that are close relative to the bandwidth', async () => {
    // A test fails in 0, 1, 2, 5 or 6 of 2,000 turns: rates differ by a few thousandths, and the bandwidth is near its
    // minimum.
    const close = turns(
      Array.from({ length: 2000 }, (_, turn) => [0, 1, 2, 5, 6].map((fails) => Number(turn >= fails))),
    );
    await expectAgreement([close], {});
  });

  test('VeRPO agrees with float64 on turns in any order', async () => {
    const interleaved: Turn[] = [
      { parent: -1, reward: 0, passed: [1, 0] },
      { parent: -1, reward: 0, passed: [0, 0] },
      { parent: 1, reward: 0, passed: [1, 1] },
      { parent: 0, reward: 0, passed: [0, 1] },
      { parent: 3, reward: 0, passed: [1, 1] },
    ];
    await expectAgreement([{ id: 'interleaved', turns: interleaved }], {});
  });
});

test.each(['centre', 'std'])('turns with identical results have VeRPO advantages of 0, norm %s', async (norm) => {
  const groups = [2, 3, 7, 40, 200].map((size) => turns(new Array(size).fill([1, 0, 1, 1, 0, 1, 1])));
  const advantages = await harness.advantages(groups, verpo, { norm });
  expect(advantages.every((advantage) => advantage === 0)).toBe(true);
});

test('tests with equal pass rates have exactly the same weight under VeRPO', async () => {
  const [credit] = await harness.run(
    [
      turns([
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0, 0, 1, 1],
      ]),
    ],
    verpo,
    {},
  );
  const [a, b, c] = credit.intermediate.weights;
  expect([b, c]).toEqual([a, a]);
  // Each turn passes one of these three tests, so all turns have exactly the same credit.
  expect([...credit.advantage]).toEqual([0, 0, 0]);
});

test('VeRPO accepts more groups than a dispatch has workgroups per dimension', async () => {
  const groups = Array.from({ length: 66_000 }, (_, index) =>
    turns([
      [1, index % 2],
      [index % 3 === 0 ? 1 : 0, 1],
    ]),
  );
  const credits = await harness.run(groups, verpo, {});
  for (const index of [0, 65_534, 65_535, 65_536, 65_999]) {
    expectSameCredit(verpo, credits[index], verpo.credit(groups[index], {}), 1e-4);
  }
});

test.each([
  ['missing results', undefined, 'missing: this rule needs the result of each unit test, 0 or 1, on every turn'],
  ['too few results', [1], '1 tests, but turn 0 of the group has 2'],
  ['too many results', new Array(257).fill(1), '257 tests, not 1 to 256'],
  ['a result that is not 0 or 1', [1, 2], '[1] is 2, not 0 or 1'],
])('VeRPO rejects a batch with wrong test results: %s', async (_, passed, problem) => {
  const good = turns(
    [
      [1, 0],
      [0, 1],
    ],
    'good',
  );
  const bad = { id: 'bad', turns: [...good.turns, { parent: -1, reward: 0, passed }] } as Group;
  const run = harness.run([good, bad], verpo, {});
  await expect(run).rejects.toThrow(CreditError);
  await expect(run).rejects.toThrow(`group "bad", turn 2, field "passed": ${problem}`);
  // The rejected batch does not change the credit of the next one.
  await expectAgreement([good], {});
});
