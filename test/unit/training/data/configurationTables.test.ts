import { describe, expect, test } from 'vitest';
import { ruleControls } from '../../../../src/credit/ruleFacts.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { parseParameter } from '../../../../src/parameters/parameters.ts';
import {
  checkTreeCapacity,
  computeMaxSequences,
  computeMaxTurns,
  layoutOf,
  TooLargeError,
} from '../../../../src/training/collect/batch.ts';
import { ENVIRONMENT_NAMES, type RunConfiguration } from '../../../../src/training/data/configuration.ts';
import {
  checkConfiguration,
  defaultConfiguration,
  OFFERED,
  tablesOf,
} from '../../../../src/training/data/configurationTables.ts';
import { warmStartName } from '../../../../src/training/data/worlds.ts';
import { computeUtilization, taskCount } from '../../../../src/training/run/trainer.ts';

describe.each(ENVIRONMENT_NAMES)('%s', (name) => {
  const tables = tablesOf(name);

  test('checkConfiguration returns the default configuration unchanged, and adds missing defaults', () => {
    const standard = defaultConfiguration(name);
    expect(checkConfiguration(standard)).toEqual(standard);
    const bare = { ...standard, settings: {}, controls: {} };
    expect(checkConfiguration(bare)).toEqual(standard);
  });

  test('parameters have unique names and allowed defaults', () => {
    const all = [...tables.settings, ...tables.controls];
    expect(new Set(all.map((parameter) => parameter.name)).size).toBe(all.length);
    for (const parameter of all) {
      expect(parseParameter(all, parameter.name, parameter.default)).toBe(parameter.default);
    }
  });

  test('the controls include the parameters of every offered rule', () => {
    expect(tables.rule.options).toEqual(OFFERED[name]);
    for (const rule of OFFERED[name].map(findRule)) {
      for (const control of ruleControls(rule)) {
        expect(
          tables.controls.map(({ name: known }) => known),
          rule.name,
        ).toContain(control.name);
      }
    }
  });

  test('all overrides of an environment name existing parameters', () => {
    const { training, rules, afterWarmStart } = ENVIRONMENTS[name];
    const controls = tables.controls.map((control) => control.name);
    for (const changed of [...Object.keys(training), ...Object.keys(rules)]) expect(controls).toContain(changed);
    for (const setting of afterWarmStart) expect(tables.settings.map((parameter) => parameter.name)).toContain(setting);
  });

  test('a default batch fits into the capacity under every offered rule', () => {
    const { capacity } = ENVIRONMENTS[name];
    const { controls } = defaultConfiguration(name);
    for (const rule of OFFERED[name].map(findRule)) {
      const layout = layoutOf(rule, controls, ENVIRONMENTS[name], 2);
      const tasks = taskCount(controls, layout, undefined, capacity.sequences);
      expect(tasks).toBeGreaterThanOrEqual(5);
      expect(tasks * computeMaxTurns(layout)).toBeLessThanOrEqual(2 * capacity.sequences);
    }
  });
});

test('checkConfiguration throws an error for settings, controls and rules of another environment', () => {
  const repair = defaultConfiguration('repair');
  const checkChanges = (changes: object) => () => checkConfiguration({ ...repair, ...changes } as RunConfiguration);
  expect(checkChanges({ settings: { knownShare: 0.5 } })).toThrow('unknown parameter "knownShare"');
  expect(checkChanges({ controls: { rule: 'mt-grpo' } })).toThrow('rule: "mt-grpo" is not one of grpo-mt, grpo-or,');
  expect(checkChanges({ schedule: [{ step: 1, changes: { searchCost: 0.1 } }] })).toThrow(
    'unknown parameter "searchCost"',
  );
  expect(checkChanges({ environment: 'maze' })).toThrow(
    'environment "maze" is not known; known: search, repair, repo, bandit',
  );
});

test('checkConfiguration does not change a Search configuration of the first version', () => {
  const old = {
    version: 1,
    environment: 'search',
    settings: { knownShare: 0.75, hallucinate: 1, maxTurns: 2, worldSeed: 0, warmSeed: 0 },
    seed: 3,
    controls: { rule: 'mt-grpo', alpha: 1, learningRate: 1e-4, groupSize: 8, questions: 16, minibatches: 2 },
    schedule: [{ step: 20, changes: { rule: 'grpo-or' } }],
  } as const;
  const checked = checkConfiguration(old as RunConfiguration);
  expect(checked).toMatchObject(old);
  expect(Object.keys(checked.controls)).not.toContain('programs');
  expect(warmStartName('search', checked.settings)).toBe(
    'search_hallucinate-1_knownShare-0.75_maxTurns-2_warmSeed-0_worldSeed-0',
  );
});

test('the name of a warm start contains newer settings only if they differ from their defaults', () => {
  const { settings } = defaultConfiguration('search');
  const name = 'search_hallucinate-0.7_knownShare-0.4_maxTurns-2_warmSeed-0_worldSeed-0';
  expect(warmStartName('search', settings)).toBe(name);
  const expected = 'search_hallucinate-0.7_known-asked_knownShare-1_maxTurns-2_stale-0.3_warmSeed-0_worldSeed-0';
  expect(warmStartName('search', { ...settings, knownShare: 1, known: 'asked', stale: 0.3 })).toBe(expected);
});

test('the name of a warm start omits settings that do not affect the warm start', () => {
  const { settings } = defaultConfiguration('repair');
  expect(warmStartName('repair', { ...settings, maxTurns: 4 })).toBe(warmStartName('repair', settings));
  expect(warmStartName('repair', { ...settings, trainProblems: 75 })).toBe(warmStartName('repair', settings));
  expect(warmStartName('repair', settings)).toBe('repair_prior-sharp_repairShare-0.57_repairs-feedback_warmSeed-0');
  expect(warmStartName('repair', { ...settings, width: '32', warmSteps: 450 })).toBe(
    'repair_prior-sharp_repairShare-0.57_repairs-feedback_warmSeed-0_warmSteps-450_width-32',
  );
  expect(warmStartName('repair', { ...settings, repairShare: 0.1 })).not.toBe(warmStartName('repair', settings));
});

describe('layout of rollouts', () => {
  const { controls } = defaultConfiguration('repair');
  const layout = (rule: string) => layoutOf(findRule(rule), controls, ENVIRONMENTS.repair, 2);

  test('layoutOf returns trees for rules that read trees, single turns for grpo-or of Repair, or chains', () => {
    expect(layout('murphy-mars')).toEqual({ branching: [6, 4], continuations: 'even', turns: 2 });
    expect(layout('grpo-or')).toEqual({ branching: [16], turns: 1 });
    expect(layout('verpo')).toEqual({ branching: [10, 1], turns: 2 });
    const search = defaultConfiguration('search').controls;
    expect(layoutOf(findRule('grpo-or'), search, ENVIRONMENTS.search, 3)).toEqual({ branching: [8, 1], turns: 3 });
  });

  test('the control "continuations" applies to trees of programs, and not to chains', () => {
    const changedControls = { ...controls, continuations: 'spread' };
    const laid = (rule: string) => layoutOf(findRule(rule), changedControls, ENVIRONMENTS.repair, 2).continuations;
    expect(laid('murphy-mers')).toBe('spread');
    expect(laid('verpo')).toBeUndefined();
  });

  test('the exact form of MT-GRPO branches from every state except those before the last turn', () => {
    const search = { ...defaultConfiguration('search').controls, groupSize: 4, branches: 3 };
    const exact = (turns: number) => layoutOf(findRule('mt-grpo-exact'), search, ENVIRONMENTS.search, turns);
    expect(exact(2)).toEqual({ branching: [4, 1], turns: 2 });
    expect(exact(4)).toEqual({ branching: [4, 3, 3, 1], turns: 4 });
    // The last turn continues in the sequence of the turn before it.
    expect([2, 3, 4].map((turns) => computeMaxSequences(exact(turns)))).toEqual([4, 4 + 12, 4 + 12 + 36]);
    // Maximum number of questions that always fit: 256 sequences, up to 52 per question.
    expect([2, 3, 4].map((turns) => taskCount(search, exact(turns), undefined, 256))).toEqual([16, 16, 4]);
    expect(() => checkTreeCapacity(exact(4), search, 52)).not.toThrow();
    expect(() => checkTreeCapacity(exact(4), search, 51)).toThrow(TooLargeError);
    expect(() => checkTreeCapacity(layout('murphy-mars'), controls, 8)).not.toThrow();
  });

  test('computeMaxTurns returns the maximum number of turns of a task', () => {
    expect(['grpo-or', 'verpo', 'murphy-mars'].map((rule) => computeMaxTurns(layout(rule)))).toEqual([16, 20, 6 + 24]);
    expect(computeMaxTurns({ branching: [6, 4], turns: 3 })).toBe(6 + 24 + 96);
  });

  test('taskCount depends on the share of turns that tasks take', () => {
    const chains = layout('verpo');
    const count = (fill?: number) => taskCount(controls, chains, fill, 336);
    // 176 programs: at most 20 per task, and 14 per task at a fill of 0.7.
    expect([count(), count(0.7), count(0.5)]).toEqual([9, 13, 18]);
    expect(taskCount(controls, chains, 0.01, 336)).toBe(33);
    expect(taskCount({ ...controls, programs: 20 }, chains, 1, 336)).toBe(2);
    expect(taskCount({ ...controls, programs: 0, questions: 5 }, chains, 0.5, 336)).toBe(5);
    const { controls: search } = defaultConfiguration('search');
    expect(taskCount(search, { branching: [8, 1], turns: 2 }, 0.4, 256)).toBe(16);
  });

  test('computeUtilization is a running mean of the share of turns taken, with weight 0.3 for the last update', () => {
    const chains = layout('verpo');
    const first = computeUtilization(undefined, 160, 10, chains);
    expect(first).toBeCloseTo(0.8);
    expect(computeUtilization(first, 110, 10, chains)).toBeCloseTo(0.7 * 0.8 + 0.3 * 0.55);
    // The share has the same meaning under another rule: the part of a full tree of 30 turns.
    expect(computeUtilization(first, 150, 10, layout('murphy-mars'))).toBeCloseTo(0.7 * 0.8 + 0.3 * 0.5);
  });
});
