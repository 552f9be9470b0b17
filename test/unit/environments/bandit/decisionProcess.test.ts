import { describe, expect, test } from 'vitest';
import {
  type DecisionProcess,
  delayedEffect,
  exactProcessValues,
  PROCESSES,
  type ProcessPolicy,
  recovery,
  type StateValues,
  stopping,
} from '../../../../src/environments/bandit/decisionProcess.ts';
import {
  type ActionProbabilities,
  exactValues,
  type TableRewards,
} from '../../../../src/environments/bandit/payoutTable.ts';
import { EXACT_REPORTS } from '../../exactReports.ts';

const uniform: ProcessPolicy = (_, __, actions) => actions.map(() => 1 / actions.length);
/** A policy whose probabilities differ by action and turn. */
const skewed: ProcessPolicy = (turn, _, actions) => {
  const weights = actions.map((__, index) => 1 + turn + 2 * index);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

/** Calls `visit` for every episode with its probability, its steps and the sum of the rewards from each step on. */
function enumerate(
  process: DecisionProcess,
  policy: ProcessPolicy,
  visit: (probability: number, steps: readonly string[], ahead: readonly number[]) => void,
) {
  const play = (
    turn: number,
    state: string,
    probability: number,
    steps: readonly string[],
    rewards: readonly number[],
  ) => {
    const actions = process.actions(turn, state);
    const probabilities = policy(turn, state, actions);
    actions.forEach((action, index) => {
      for (const result of process.transitions(turn, state, action)) {
        const mass = probability * probabilities[index] * result.probability;
        const [path, amounts] = [
          [...steps, `${turn} ${state} ${action}`],
          [...rewards, result.reward],
        ];
        if (result.next !== undefined) play(turn + 1, result.next, mass, path, amounts);
        else
          visit(
            mass,
            path,
            amounts.map((_, at) => amounts.slice(at).reduce((sum, reward) => sum + reward, 0)),
          );
      }
    });
  };
  play(0, process.start, 1, [], []);
}

const at = (values: readonly StateValues[], turn: number, state: string) =>
  values.find((values) => values.turn === turn && values.state === state);
const advantages = (values: readonly StateValues[], turn: number, state: string) =>
  at(values, turn, state)?.actions.map(({ advantage }) => advantage);

describe('values of decision processes by hand', () => {
  test('delayed effect: only the first action changes the return', () => {
    const values = exactProcessValues(delayedEffect(3), uniform);
    // V = (.8 + .2) / 2, and afterwards .8 or .2 regardless of the policy.
    expect(at(values, 0, 'start')?.value).toBeCloseTo(0.5, 12);
    expect(advantages(values, 0, 'start')?.map((advantage) => advantage.toFixed(12))).toEqual([
      '0.300000000000',
      '-0.300000000000',
    ]);
    expect(advantages(values, 2, 'good')).toEqual([0, 0]);
    expect(at(values, 2, 'bad')).toMatchObject({ visits: 0.5, value: 0.2 });
  });

  test('recovery: the value of BAD is half the value of GOOD if half of the errors are repaired', () => {
    const values = exactProcessValues(recovery, uniform);
    expect(values.map(({ state, visits, value }) => [state, visits, value])).toEqual([
      ['s0', 1, 0.75],
      ['mistake', 0.5, 0.5],
    ]);
    expect(advantages(values, 0, 's0')).toEqual([0.25, -0.25]);
    expect(advantages(values, 1, 'mistake')).toEqual([0.5, -0.5]);
    // A policy that repairs 2 of 3 errors and takes GOOD 1 time in 4: V = 1/4 + 3/4 · 2/3.
    const repairs: ProcessPolicy = (turn) => (turn === 0 ? [1 / 4, 3 / 4] : [2 / 3, 1 / 3]);
    expect(exactProcessValues(recovery, repairs)[0].value).toBeCloseTo(0.75, 12);
  });

  test('stopping: the last turn has one action and no advantage', () => {
    const values = exactProcessValues(stopping([1, 0, 4]), uniform);
    // From the end: 4; (0 + 4) / 2 = 2; (1 + 2) / 2 = 1.5.
    expect(values.map(({ value }) => value)).toEqual([1.5, 2, 4]);
    expect(values.map(({ visits }) => visits)).toEqual([1, 0.5, 0.25]);
    expect(values.map(({ actions }) => actions.map(({ advantage }) => advantage))).toEqual([[-0.5, 0.5], [-2, 2], [0]]);
  });
});

describe.each(Object.entries(PROCESSES))('%s', (name, process) => {
  test.each([
    ['uniform', uniform],
    ['skewed', skewed],
  ])('exact values equal the enumeration of all episodes under the %s policy', (_, policy) => {
    const [mass, ahead] = [new Map<string, number>(), new Map<string, number>()];
    let total = 0;
    enumerate(process, policy, (probability, steps, rewards) => {
      total += probability;
      steps.forEach((step, index) => {
        mass.set(step, (mass.get(step) ?? 0) + probability);
        ahead.set(step, (ahead.get(step) ?? 0) + probability * rewards[index]);
      });
    });
    expect(total).toBeCloseTo(1, 12);
    let actions = 0;
    for (const { turn, state, visits, value, actions: computed } of exactProcessValues(process, policy)) {
      let [visited, expected] = [0, 0];
      for (const { action, value: q, advantage } of computed) {
        const step = `${turn} ${state} ${action}`;
        const [probability, sum] = [mass.get(step) ?? NaN, ahead.get(step) ?? NaN];
        expect(Math.abs(q - sum / probability)).toBeLessThan(1e-12);
        expect(advantage).toBe(q - value);
        visited += probability;
        expected += sum;
        actions++;
      }
      expect(Math.abs(visits - visited)).toBeLessThan(1e-12);
      expect(Math.abs(value - expected / visited)).toBeLessThan(1e-12);
    }
    expect(actions).toBe(mass.size);
  });

  test('exact values equal the values of the Python package', () => {
    const report = EXACT_REPORTS.find((line) => line.process === name);
    const values = exactProcessValues(process, uniform);
    expect(report?.states).toHaveLength(values.length);
    for (const { turn, state, visits, value } of report?.states ?? []) {
      const computed = at(values, turn, state);
      expect(Math.abs((computed?.visits ?? NaN) - visits)).toBeLessThan(1e-12);
      expect(Math.abs((computed?.value ?? NaN) - value)).toBeLessThan(1e-12);
    }
    expect(report?.actions).toHaveLength(values.flatMap(({ actions }) => actions).length);
    for (const { turn, state, action, value, advantage } of report?.actions ?? []) {
      const computed = at(values, turn, state)?.actions.find((item) => item.action === action);
      expect(Math.abs((computed?.value ?? NaN) - value)).toBeLessThan(1e-12);
      expect(Math.abs((computed?.advantage ?? NaN) - advantage)).toBeLessThan(1e-12);
    }
  });
});

test('a payout table as a decision process has the values of its closed form', () => {
  const table: TableRewards = {
    reward: [0.2, 0.3, 0],
    outcome: [
      [0, 0, 0],
      [0, 1, 0],
      [0, 0.2, 0],
    ],
    chance: 0.5,
  };
  const policy: ActionProbabilities = {
    first: [0.5, 0.3, 0.2],
    second: [
      [1, 0, 0],
      [0.2, 0.6, 0.2],
      [0.5, 0.25, 0.25],
    ],
  };
  const process: DecisionProcess = {
    ...{ start: 't0', turns: 2, actions: () => ['0', '1', '2'] },
    transitions: (turn, state, action) =>
      turn === 0
        ? [{ probability: 1, reward: table.reward[Number(action)], next: action }]
        : [
            { probability: table.chance, reward: table.outcome[Number(state)][Number(action)] },
            { probability: 1 - table.chance, reward: 0 },
          ],
  };
  const computed = exactProcessValues(process, (turn, state) =>
    turn === 0 ? policy.first : policy.second[Number(state)],
  );
  const expectedValues = exactValues(table, policy);
  expect(computed[0].value).toBeCloseTo(expectedValues.value, 12);
  expect(computed[0].actions.map(({ advantage }) => advantage.toFixed(12))).toEqual(
    expectedValues.firstAdvantage.map((advantage) => advantage.toFixed(12)),
  );
  expectedValues.secondAdvantage.forEach((row, first) => {
    row.forEach((advantage, second) => {
      expect(advantages(computed, 1, String(first))?.[second]).toBeCloseTo(advantage, 12);
    });
  });
});

test('exactProcessValues throws an error for invalid probabilities and for a process without an end', () => {
  expect(() => exactProcessValues(recovery, () => [0.5, 0.6])).toThrow(
    'turn 0, state "s0": [0.5, 0.6] are no probabilities that sum to 1',
  );
  expect(() => exactProcessValues({ ...recovery, turns: 1 }, uniform)).toThrow(
    'turn 0, state "s0": BAD continues after the last turn',
  );
  expect(() => exactProcessValues(recovery, () => [1])).toThrow('turn 0, state "s0": 1 probabilities for 2 actions');
  expect(() => delayedEffect(1)).toThrow('turns is 1, less than 2');
});
