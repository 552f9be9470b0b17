import { expect, test } from 'vitest';
import { learningRate } from '../../../src/engine/updatePlan.ts';
import { ReportLayout } from '../../../src/engine/wgsl/updater.ts';
import { REPORT_LINE_SIZE } from '../../../src/objective/objective.ts';

test('the learning rate rises linearly during warm-up, and is constant afterwards', () => {
  const at = (warmUp: number, step: number) => learningRate({ learningRate: 2e-4, warmUp }, step);
  // 2e-4 times 1/4, 2/4, 3/4, 1, 1.
  [0.5e-4, 1e-4, 1.5e-4, 2e-4, 2e-4].forEach((rate, step) => {
    expect(at(4, step)).toBeCloseTo(rate, 12);
  });
  expect([at(0, 0), at(1, 0), learningRate({ learningRate: 2e-4 }, 0)]).toEqual([2e-4, 2e-4, 2e-4]);
});

const LIMIT = 5;
const layout = new ReportLayout(LIMIT);
const indices = Array.from({ length: LIMIT }, (_, index) => index);

/** Creates a report in which each number is the index of its line. */
function numbered(): Float32Array {
  return Float32Array.from({ length: layout.reportLength }, (_, index) => Math.floor(index / REPORT_LINE_SIZE));
}

test('each line of a report has a separate index, and the report length covers all lines', () => {
  const lines = [
    layout.reference,
    ...indices.map((index) => layout.policy(index)),
    ...indices.map((index) => layout.critic(index)),
    layout.tokens,
  ];
  expect(lines).toEqual(Array.from({ length: 2 * LIMIT + 2 }, (_, line) => line));
  expect(layout.reportLength).toBe(lines.length * REPORT_LINE_SIZE);
});

test('a minibatch index beyond the limit of the report layout throws an error', () => {
  expect(() => layout.policy(LIMIT)).toThrow(RangeError);
  expect(() => layout.critic(LIMIT)).toThrow('minibatch 5 does not exist: the report has room for 5 minibatches');
});

test('a report is read from the lines to which it was written', () => {
  const { reference, minibatches, critic } = layout.read(numbered(), { minibatches: 2, policy: true, critic: true });
  expect(reference.klReferenceK3).toBe(layout.reference);
  expect(minibatches.map(({ loss }) => loss)).toEqual([layout.policy(0), layout.policy(1)]);
  expect(critic?.minibatches.map(({ gradientNorm }) => gradientNorm)).toEqual([layout.critic(0), layout.critic(1)]);
  expect(critic?.tokens).toBe(layout.tokens);
});

test('lines of a report that were not written are not read', () => {
  const policyOnly = layout.read(numbered(), { minibatches: 2, policy: true, critic: false });
  expect('critic' in policyOnly).toBe(false);
  const waiting = layout.read(numbered(), { minibatches: 2, policy: false, critic: true });
  expect(waiting.minibatches).toEqual([]);
  expect(waiting.critic?.minibatches.length).toBe(2);
  const nothing = layout.read(numbered(), { minibatches: 0, policy: true, critic: false });
  expect(nothing.minibatches).toEqual([]);
});
