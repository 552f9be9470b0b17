import { expect, test } from 'vitest';
import { runBands } from '../../../../src/app/curves/chartMarks.ts';
import type { RunEvent } from '../../../../src/training/data/protocol.ts';
import { openingRun } from '../../../../src/training/data/worlds.ts';

const change = (step: number, rule: string): RunEvent => ({ step, kind: 'change', changes: { rule }, text: '' });

function bands(events: readonly RunEvent[] = [], controls: Readonly<Record<string, number | string>> = {}) {
  const configuration = openingRun('search');
  const rule = String(events.at(-1)?.changes.rule ?? configuration.controls.rule);
  return runBands({ configuration, controls: { ...configuration.controls, rule, ...controls }, events: [...events] });
}

test('the default run of search has the band of its first rule', () => {
  const [first, ...rest] = bands();
  expect(rest).toEqual([]);
  expect(first?.steps.slice(0, 3)).toEqual([1, 5, 9]);
  // All ten recorded runs use the tool.
  expect(Math.min(...(first?.low.slice(4) ?? []))).toBeGreaterThan(0.9);
});

test('a change to the second rule starts the band of that rule at the change', () => {
  const [before, after, ...rest] = bands([change(26, 'grpo-or')]);
  expect(rest).toEqual([]);
  expect(before?.steps.at(-1)).toBe(25);
  expect(after?.steps[0]).toBe(27);
  expect(after?.low[0]).toBeGreaterThan(0.9);
  // All ten recorded runs lose the tool.
  expect(Math.max(...(after?.high.slice(-3) ?? []))).toBeLessThan(0.2);
});

test.each(['repair', 'repo'] as const)('the default run of %s has the band of its first rule', (environment) => {
  const configuration = openingRun(environment);
  const [first, ...rest] = runBands({ configuration, controls: configuration.controls, events: [] });
  expect(rest).toEqual([]);
  expect(first?.low).toHaveLength(first?.steps.length ?? 0);
  expect(first?.low.every((share, at) => share <= (first.high[at] ?? 0))).toBe(true);
});

test('runs with other rules, changes or settings have no band', () => {
  expect(bands([change(26, 'rloo')])).toEqual([]);
  expect(bands([change(26, 'grpo-or'), change(60, 'mt-grpo')])).toEqual([]);
  expect(bands([], { rewardSkip: -1 })).toEqual([]);
  const bandit = openingRun('bandit');
  expect(runBands({ configuration: bandit, controls: bandit.controls, events: [] })).toEqual([]);
});
