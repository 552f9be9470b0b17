import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROFILES } from '../../src/credit/normalize.ts';
import { CreditError, type CreditRule } from '../../src/credit/rule.ts';
import { findRule, RULES } from '../../src/credit/rules.ts';
import type { ParameterValues } from '../../src/parameters/parameters.ts';
import { CounterRandom } from '../../src/random/counter.ts';
import { buildForest, type Group } from '../../src/rollouts/forest.ts';
import { groupOf, outcomesOnly } from '../groups.ts';
import { expectClose } from '../vectorFile.ts';
import { type CreditBench, creditBench } from './creditBench.ts';

let bench: CreditBench;
beforeAll(async () => {
  bench = await creditBench({ turns: 8192, trajectories: 4096, groups: 64 });
});
afterAll(() => bench?.destroy());

function float64(groups: readonly Group[], rule: CreditRule, parameters: ParameterValues): number[] {
  return groups.flatMap((group) => [...rule.credit(group, parameters).advantage]);
}

/** Groups of 1 to 256 rollouts of 1 to 6 turns, rewards on a grid with many ties. */
function randomGroups(seed: number): Group[] {
  const random = new CounterRandom(seed, 1);
  const reward = () => (random.integer(21) - 10) / 10;
  return [1, 2, 3, 8, 64, 65, 256].map((size) => {
    const rollouts = Array.from({ length: size }, () => {
      return { turns: Array.from({ length: random.integer(6) }, reward), outcome: reward() };
    });
    return groupOf(rollouts, `random-${seed}-${size}`);
  });
}

describe.each(RULES.map((rule) => [rule.name, rule] as const))('%s on the GPU', (_, rule) => {
  test.each(Object.keys(PROFILES))('agrees with float64 on random forests, profile %s', async (profile) => {
    for (const seed of [1, 2, 3]) {
      const groups = randomGroups(seed);
      const parameters = { profile, alpha: 0.7 };
      expectClose(await bench.advantages(groups, rule, parameters), float64(groups, rule, parameters), 1e-4);
    }
  });

  test('equal rewards give exactly 0', async () => {
    const groups = [2, 3, 7, 64, 200].map((size) => {
      return groupOf(Array.from({ length: size }, () => ({ turns: [0.1, 1 / 3], outcome: 0.7 })));
    });
    const advantages = await bench.advantages(groups, rule, {});
    expect(advantages.every((advantage) => advantage === 0)).toBe(true);
  });

  test('no groups, empty groups, lone rollouts', async () => {
    expect(await bench.advantages([], rule, {})).toHaveLength(0);
    const groups = [outcomesOnly([]), outcomesOnly([0.7]), outcomesOnly([]), outcomesOnly([1, 0])];
    const [alone, good, bad] = await bench.advantages(groups, rule, {});
    // [1, 0]: mean 1/2, std sqrt(1/2); 0.5 / 0.70711 = 0.70711
    expectClose([alone, good, bad], [0, Math.SQRT1_2, -Math.SQRT1_2], 1e-5);
  });

  test('rewards far from 0 keep their digits', async () => {
    const groups = [outcomesOnly([1000, 1001, 1003, 1000.5])];
    expectClose(await bench.advantages(groups, rule, {}), float64(groups, rule, {}), 1e-4);
  });

  test('a smaller batch after a larger one, turns in any order', async () => {
    await bench.advantages(randomGroups(4), rule, {});
    const turns = [
      { parent: -1, reward: 0.3 },
      { parent: -1, reward: 0.1 },
      { parent: 1, reward: 0, outcome: 1 },
      { parent: 0, reward: 0, outcome: 0 },
    ];
    const groups = [outcomesOnly([1, 0]), { id: 'interleaved', turns }];
    expectClose(await bench.advantages(groups, rule, {}), float64(groups, rule, {}), 1e-4);
  });

  test('the same batch gives the same bits', async () => {
    const first = await bench.advantages(randomGroups(5), rule, {});
    expect(await bench.advantages(randomGroups(5), rule, {})).toEqual(first);
  });

  test('branches are refused, naming group and turn', async () => {
    const leaf = { parent: 0, reward: 0, outcome: 1 };
    const tree = { id: 'tree', turns: [{ parent: -1, reward: 0 }, leaf, leaf] };
    const run = bench.advantages([outcomesOnly([1, 0]), tree], rule, {});
    await expect(run).rejects.toThrow(CreditError);
    await expect(run).rejects.toThrow('group "tree", turn 0');
  });
});

test('float32 sums that are equal on paper count as equal', async () => {
  const groups = [
    groupOf([
      { turns: [0.1, 0.2], outcome: 0.4 },
      { turns: [0.3], outcome: 0.4 },
      { turns: [0.7], outcome: 0 },
    ]),
  ];
  expect([...(await bench.advantages(groups, findRule('grpo-mr'), {}))].every((a) => a === 0)).toBe(true);
});

test('several rules over one batch, in one submission', async () => {
  const groups = randomGroups(6);
  const both = await bench.advantages(groups, [findRule('grpo-or'), findRule('mt-grpo')], { alpha: 1 });
  expectClose(both, float64(groups, findRule('mt-grpo'), { alpha: 1 }), 1e-4);
});

test('a batch beyond the capacity is refused', () => {
  const forest = buildForest(Array.from({ length: 65 }, () => outcomesOnly([1])));
  expect(() => bench.credit.upload(forest)).toThrow('credit: the batch has 65 groups, there is room for 64');
});
