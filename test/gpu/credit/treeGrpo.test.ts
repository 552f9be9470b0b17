import { expect, test } from 'vitest';
import { CreditError } from '../../../src/credit/creditError.ts';
import { findRule } from '../../../src/credit/rules.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { CounterRandom } from '../../../src/random/counter.ts';
import type { Group, Turn } from '../../../src/rollouts/forest.ts';
import { randomGroups } from '../../randomForests.ts';
import { useCreditHarness } from './creditHarness.ts';

const harness = useCreditHarness();

const rule = findRule('tree-grpo');

function expectAgreement(groups: readonly Group[], parameters: ParameterValues): Promise<void> {
  return harness.expectAgreement(groups, rule, parameters);
}

/**
 * Creates a tree with the given number of continuations per turn on each level. Log-probabilities are spread over
 * `nats`.
 */
function tree(seed: number, branching: readonly number[], nats = 4): Group {
  const random = new CounterRandom(seed, 3);
  const turns: Turn[] = [];
  let level = [-1];
  branching.forEach((count, depth) => {
    const next: number[] = [];
    for (const parent of level) {
      for (let child = 0; child < count; child++) {
        next.push(turns.length);
        const ends = depth + 1 === branching.length || random.integer(4) === 0;
        const fields = {
          parent,
          reward: 0,
          tokens: 1 + random.integer(30),
          logProb: (-nats * random.integer(1000)) / 1000,
        };
        turns.push(ends ? { ...fields, outcome: random.integer(11) / 10 } : fields);
        if (ends) next.pop();
      }
    }
    level = next;
  });
  return { id: `tree ${seed} ${branching.join('x')}`, turns };
}

test.each<ParameterValues>([
  { weights: 'mean' },
  { weights: 'sum' },
  { weights: 'uniform' },
  { weights: 'sum', profile: 'verl' },
  { weights: 'mean', scale: 'none' },
])('Tree-GRPO agrees with float64 on random forests, %j', async (parameters) => {
  await expectAgreement([...randomGroups(rule, 31), ...randomGroups(rule, 32)], parameters);
});

test.each(['mean', 'sum', 'uniform'])('Tree-GRPO agrees with float64 on long lists, weights %s', async (weights) => {
  // One invocation processes up to 32 members; a workgroup processes 33 or more.
  const wide = [31, 32, 33, 64, 65, 200].flatMap((size) => [tree(size, [2, size]), tree(size, [size, 2])]);
  await expectAgreement([...wide, tree(1, [3, 40, 2]), tree(2, [40, 1, 3]), tree(3, [2, 3, 2, 3, 2])], { weights });
});

test('Tree-GRPO does not underflow at log-probabilities of thousands of nats', async () => {
  await expectAgreement([tree(4, [3, 50], 5000), tree(5, [8, 4, 4], 2000)], { weights: 'sum' });
});

test('rollouts with equal outcomes have advantages of exactly 0 under Tree-GRPO', async () => {
  const turns = tree(6, [6, 5, 40]).turns.map((turn) =>
    turn.outcome === undefined ? turn : { ...turn, outcome: 1 / 3 },
  );
  const [{ advantage }] = await harness.run([{ id: 'equal', turns }], rule, {});
  expect(advantage.every((value) => value === 0)).toBe(true);
});

test('Tree-GRPO requires only the fields from which its weights are computed', async () => {
  const { turns } = tree(7, [4, 4]);
  const bare = { id: 'bare', turns: turns.map(({ logProb: _, tokens: __, ...turn }) => turn) };
  await expectAgreement([bare], { weights: 'uniform' });
  const rejected = harness.run([bare], rule, {});
  await expect(rejected).rejects.toThrow(CreditError);
  await expect(rejected).rejects.toThrow('group "bare", turn 0, field "logProb": missing');
});
