import { expect, test } from 'vitest';
import { SEARCH_WORLDS } from '../../../src/environments/search/worlds.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import { Trainer } from '../../../src/training/run/trainer.ts';
import { openExactRun } from '../../exactRun.ts';
import { testDevice } from '../gpu.ts';

const SHORTCUT = SEARCH_WORLDS[0];

// Both engines play the same episodes: a draw that differed would change rewards, turns and tokens.
test.each<[string, ParameterValues]>([
  ['a rule of turns', { rule: 'mt-grpo' }],
  ['ratios that turns share, entropy bonus', { rule: 'grpo-or', ratio: 'turn', entropyCoef: 0.01 }],
  ['top-p, top-k and temperature', { rule: 'rloo', temperature: 1.3, topP: 0.9, topK: 20 }],
  ['a critic of tokens', { rule: 'mt-ppo', criticUpdates: 0 }],
  ['a critic of turns', { rule: 'turn-ppo', criticUpdates: 0 }],
])('the first update on the exact engine is that of WGSL: %s', async (_, controls) => {
  const world = { settings: SHORTCUT.settings, controls: { ...SHORTCUT.controls, ...controls } };
  const exact = await openExactRun('search', world);
  const trainer = await Trainer.create(await testDevice(), exact.environment, exact.seed, exact.controls);
  try {
    trainer.load(await exact.engine.readState(), 0);
    const update = await trainer.update();
    const [wgsl, { metrics, batch, report }] = [await update.metrics, await exact.update()];
    expect(batch.groups.map(({ turns }) => turns.map(({ reward, tokens }) => [reward, tokens]))).toEqual(
      update.batch.groups.map(({ turns }) => turns.map(({ reward, tokens }) => [reward, tokens])),
    );
    const relative = (name: 'loss' | 'gradientNorm' | 'valueLoss' | 'valueGradientNorm' | 'entropy') =>
      Math.abs((metrics[name] ?? 0) - (wgsl[name] ?? 0)) / Math.max(1e-1, Math.abs(wgsl[name] ?? 0));
    for (const name of ['loss', 'gradientNorm', 'valueLoss', 'valueGradientNorm', 'entropy'] as const) {
      expect(relative(name), `${name}: ${metrics[name]} and ${wgsl[name]}`).toBeLessThan(1e-5);
    }
    const credit = (await update.credit).turns;
    expect(Math.max(...report.credit.turns.map((advantage, i) => Math.abs(advantage - credit[i])))).toBeLessThan(1e-4);
    const [moved, expected] = [await exact.engine.readState(), await trainer.engine.readState()];
    const distance = (of: Float32Array, from: Float32Array) =>
      Math.sqrt(of.reduce((sum, value, i) => sum + (value - from[i]) * (value - from[i]), 0));
    const step = distance(expected.parameters, expected.reference);
    expect(distance(moved.parameters, expected.parameters) / step).toBeLessThan(1e-3);
  } finally {
    trainer.destroy();
  }
});
