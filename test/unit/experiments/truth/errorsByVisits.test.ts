import { expect, test } from 'vitest';
import { errorsByVisits } from '../../../../src/experiments/compare/visitMeasure.ts';
import { CounterRandom } from '../../../../src/random/counter.ts';
import type { MeasuredGroup } from '../../../../src/training/data/truthReport.ts';

/** Creates a turn of a rollout in a state from its measured advantage (error .1) and the advantage of the rule. */
const turn = (rollout: number, state: string | undefined, truth: number, estimate: number | null) => ({
  ...{ forestTurn: 0, rollout, turn: 0, summary: '', reward: 0, before: { mean: 0, error: 0 } },
  ...(state === undefined ? {} : { state }),
  advantage: { mean: truth, error: 0.1 },
  rules: { rtmc: estimate },
});

const group = (...turns: MeasuredGroup['turns']): MeasuredGroup => ({ question: '', outcomes: [], turns });

test('errors are grouped by the number of rollouts that visit a state, not by its number of turns', () => {
  const groups = [
    // Rollout 0 visits `a` twice and rollout 1 once, which counts as two visits. `b` has one visit.
    group(turn(0, 'a', 1, 1.5), turn(0, 'a', 0, 0.5), turn(1, 'a', 0, 0.2), turn(1, 'b', 0, -1)),
    // The state `a` of another group is a different state. Pruned turns and turns without a state are omitted.
    group(turn(0, 'a', 0, 1), turn(1, 'c', 0, null), turn(2, undefined, 0, 3)),
  ];
  const rows = errorsByVisits(groups, 'rtmc', 1, 50);
  expect(rows.map(({ from, to, turns }) => [from, to, turns])).toEqual([
    [1, 1, 2],
    [2, 3, 3],
  ]);
  expect(rows[0].bias.value).toBeCloseTo(0, 12);
  expect(rows[0].variance.value).toBeCloseTo(2 - 0.01, 12);
  expect(rows[1].bias.value).toBeCloseTo(0.4, 12);
  expect(rows[1].variance.value).toBeCloseTo(0.03 - 0.01, 12);
  // One group has no bootstrap interval.
  expect(rows[1].bias.low).toBeNaN();
});

test('a mean over N rollouts has a variance that falls as 1 / N, and no bias', () => {
  const random = new CounterRandom(3, 1);
  const groups = Array.from({ length: 400 }, (_, index) => {
    const visits = [1, 2, 4, 8][index % 4];
    const noise = Array.from({ length: visits }, () => 2 * random.next() - 1);
    const estimate = noise.reduce((sum, value) => sum + value, 0) / visits;
    return group(
      ...noise.map((_, rollout) => ({
        ...turn(rollout, 's', 0.3, 0.3 + estimate),
        advantage: { mean: 0.3, error: 0 },
      })),
    );
  });
  const rows = errorsByVisits(groups, 'rtmc', 1, 200);
  expect(rows.map(({ from }) => from)).toEqual([1, 2, 4, 8]);
  for (const { from, bias, variance } of rows) {
    expect(bias.low).toBeLessThan(0);
    expect(bias.high).toBeGreaterThan(0);
    expect(variance.low).toBeLessThan(1 / 3 / from);
    expect(variance.high).toBeGreaterThan(1 / 3 / from);
  }
});
