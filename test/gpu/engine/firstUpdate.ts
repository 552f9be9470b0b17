import { expect } from 'vitest';
import { startedRun } from '../../../scripts/startedRun.ts';
import type { ParameterValues } from '../../../src/parameters/parameters.ts';
import type { EnvironmentName } from '../../../src/training/data/configuration.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { testDevice } from '../gpu.ts';

const NUMBERS = ['loss', 'gradientNorm', 'valueLoss', 'valueGradientNorm', 'entropy'] as const;

const distance = (of: Float32Array, from: Float32Array) =>
  Math.sqrt(of.reduce((sum, value, i) => sum + (value - from[i]) * (value - from[i]), 0));

/**
 * Compares the first update of a run on the exact engine with the first update on WGSL. Both engines play the same
 * episodes: a different draw would change rewards, turns and tokens. Loss, norms and entropy agree to 1e-5.
 * @param world settings and controls that differ from the defaults of the environment
 */
export async function expectSameFirstUpdate(
  name: EnvironmentName,
  world: { readonly settings?: ParameterValues; readonly controls?: ParameterValues },
): Promise<void> {
  const { settings, controls, ...rest } = defaultConfiguration(name);
  const configuration = {
    ...rest,
    ...{ seed: 1, settings: { ...settings, ...world.settings }, controls: { ...controls, ...world.controls } },
  };
  const [exact, wgsl] = [await startedRun(configuration), await startedRun(configuration, await testDevice())];
  try {
    const [given, reference] = [await exact.update(), await wgsl.update()];
    expect(given.batch.groups.map(({ turns }) => turns.map(({ reward, tokens }) => [reward, tokens]))).toEqual(
      reference.batch.groups.map(({ turns }) => turns.map(({ reward, tokens }) => [reward, tokens])),
    );
    const [metrics, expected] = [await given.metrics, await reference.metrics];
    for (const number of NUMBERS) {
      const [value, right] = [metrics[number] ?? 0, expected[number] ?? 0];
      const error = Math.abs(value - right) / Math.max(1e-1, Math.abs(right));
      expect(error, `${number}: ${value} and ${right}`).toBeLessThan(1e-5);
    }
    const [advantages, credit] = [(await given.credit).turns, (await reference.credit).turns];
    expect(Math.max(...advantages.map((advantage, i) => Math.abs(advantage - credit[i])))).toBeLessThan(1e-4);
    const [moved, state] = [await exact.trainer.engine.readState(), await wgsl.trainer.engine.readState()];
    const step = distance(state.parameters, state.reference);
    expect(distance(moved.parameters, state.parameters) / step).toBeLessThan(1e-3);
  } finally {
    exact.destroy();
    wgsl.destroy();
  }
}
