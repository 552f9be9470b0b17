import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { warmStartFile } from '../../../../src/cli/framework/policyFiles.ts';
import { ENVIRONMENT_LIST, ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { parseParameters } from '../../../../src/parameters/parameters.ts';
import { defaultConfiguration, tablesOf } from '../../../../src/training/data/configurationTables.ts';
import { applyWorld, inWorld, openingRun, worldOf, worldsOf } from '../../../../src/training/data/worlds.ts';

const [shortcut, open] = worldsOf('search');
if (!open || !shortcut) throw new Error('the worlds are missing');
const standard = defaultConfiguration('search');

test('worlds set existing settings and controls, and worldOf recognizes each world by its settings', () => {
  for (const { name } of ENVIRONMENT_LIST) {
    const { settings, controls } = tablesOf(name);
    for (const world of worldsOf(name)) {
      expect(parseParameters(settings, world.settings)).toEqual(world.settings);
      expect(parseParameters(controls, world.controls)).toEqual(world.controls);
      expect(worldOf(applyWorld(world, defaultConfiguration(name)))).toBe(world);
    }
  }
});

test('openingRun uses the first world of an environment, and the warm start of this world is shipped', () => {
  for (const { name } of ENVIRONMENT_LIST) {
    const { settings } = openingRun(name);
    expect(worldOf({ environment: name, settings })).toBe(worldsOf(name)[0]);
    if (ENVIRONMENTS[name].warmStart !== 'none') expect(existsSync(warmStartFile(settings, name))).toBe(true);
  }
  expect(openingRun('search')).toMatchObject({
    settings: { stale: 0.3 },
    controls: { heldOutMode: 'on', heldOutEvery: 5 },
  });
});

test('worldOf returns the world with exactly the settings of a configuration, or undefined for other settings', () => {
  expect(worldOf(standard)).toBe(open);
  expect(worldOf({ ...standard, settings: { ...standard.settings, hallucinate: 1 } })).toBeUndefined();
  expect(worldOf(defaultConfiguration('repair'))).toBeUndefined();
  const bandit = defaultConfiguration('bandit');
  expect(worldOf(bandit)?.name).toBe('two-turns');
  expect(worldOf({ ...bandit, settings: { ...bandit.settings, process: 'delayed' } })?.name).toBe('delayed');
});

test('a change of the world replaces the training controls of the world, and retains manual changes', () => {
  const controls = { ...standard.controls, rule: 'grpo-or', groupSize: 4 };
  const there = inWorld(shortcut, { ...standard, seed: 9, controls });
  expect(there).toMatchObject({
    seed: 9,
    controls: { rule: 'grpo-or', groupSize: 4, learningRate: 3e-4, klCoef: 0.02 },
  });
  expect(there.settings).toEqual({ ...standard.settings, ...shortcut.settings });
  expect(inWorld(open, there)).toEqual({ ...standard, seed: 9, controls });
});
