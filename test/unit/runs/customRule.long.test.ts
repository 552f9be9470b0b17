import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import { encodeCustomRule, saveResult } from '../../../src/credit/rules/custom/customRule.ts';
import { findRule } from '../../../src/credit/rules.ts';
import { CustomRules } from '../../../src/customRules/customRules.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { Run } from '../../../src/training/run/run.ts';
import { root } from '../../files.ts';
import { timeless } from '../../timeless.ts';
import { testDevice } from './runDevice.ts';

const COPY = readFileSync(join(root, 'python/turnwise_rl/rules/mt_grpo.py'), 'utf8');
const UPDATES = 4;
const runs: Run[] = [];

afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

const nameRule = (source: string) => encodeCustomRule({ file: 'my_rule.py', values: {}, source });

/** Custom rules that compute MT-GRPO with float64 in TypeScript instead of running Python in the sandbox. */
class TypeScript extends CustomRules {
  override async work(name: string, groups: Parameters<CustomRules['work']>[1]): Promise<void> {
    for (const group of groups) {
      const { advantage } = findRule('mt-grpo').credit(group, {});
      saveResult(name, group, { advantage: [...advantage], intermediate: {} });
    }
  }
}

async function open(rule: string, customRules?: CustomRules): Promise<Run> {
  const base = defaultConfiguration('bandit');
  const configuration = { ...base, controls: { ...base.controls, rule } };
  const world = await openWorld(configuration);
  const run = await Run.create(
    await testDevice(),
    configuration,
    () => {},
    customRules ? { ...world, customRules } : world,
  );
  runs.push(run);
  run.beginWith(loadStart(world.world, undefined).state);
  return run;
}

/** Returns the curve and the weights of UPDATES updates. */
async function trained(run: Run) {
  const curve = [];
  for (let step = 0; step < UPDATES; step++) curve.push(timeless(await (await run.update()).metrics));
  return {
    curve: curve.map((row) => ({ ...row, rule: '' })),
    parameters: (await run.trainer.engine.readState()).parameters,
  };
}

test('a Python copy of MT-GRPO trains the weights of float64 MT-GRPO bit for bit, and nearly those of the GPU rule', async () => {
  const copy = await trained(await open(nameRule(COPY)));
  const host = new TypeScript({ sandbox: () => ({ execute: async () => [] }), library: async () => '' });
  const given = await trained(await open(nameRule('# MT-GRPO in TypeScript\n'), host));
  expect(copy.curve).toEqual(given.curve);
  expect(copy.parameters).toEqual(given.parameters);
  // The GPU computes advantages in float32. The advantages and therefore the weights differ in their last bits.
  const gpu = await trained(await open('mt-grpo'));
  const largest = (a: Float32Array, b: Float32Array) =>
    a.reduce((maximum, x, i) => Math.max(maximum, Math.abs(x - b[i])), 0);
  expect(gpu.parameters.length).toBeGreaterThan(0);
  expect(largest(gpu.parameters, copy.parameters)).toBeLessThan(1e-4);
});

test('an update with a custom rule that fails leaves weights, step and curve unchanged', async () => {
  const source = `${COPY}\n_credit = credit\ndef credit(group):\n    for turn in range(len(group.turns)):\n        1 / (1 - turn)\n    return _credit(group)\n`;
  const run = await open('mt-grpo');
  await (await run.update()).metrics;
  const before = await run.save();
  run.change({ rule: nameRule(source) });
  await expect(run.update()).rejects.toThrow(
    /my_rule\.py, line \d+, group ".*", turn 1: ZeroDivisionError: division by zero/,
  );
  const after = await run.save();
  expect(after.step).toBe(1);
  expect(new Uint8Array(after.checkpoint)).toEqual(new Uint8Array(before.checkpoint));
  // The run continues with another rule, without an effect of the failed update.
  run.change({ rule: 'mt-grpo' });
  const metrics = timeless(await (await run.update()).metrics);
  const straight = await open('mt-grpo');
  await (await straight.update()).metrics;
  expect(metrics).toEqual(timeless(await (await straight.update()).metrics));
});
