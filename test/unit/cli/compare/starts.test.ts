import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startFile, startsOf, writeAtomically } from '../../../../src/cli/compare/starts.ts';
import { nodeExactDevice } from '../../../../src/cli/framework/node.ts';
import { openWorld } from '../../../../src/cli/framework/worldRuns.ts';
import { writeCheckpoint } from '../../../../src/engine/shared.ts';
import { settingsOf } from '../../../../src/experiments/compare/findings.ts';
import { paperTerminal, temporaryFolder } from '../cliTerminal.ts';
import { experimentOf } from '../lab/fakeFindings.ts';

const { folder } = temporaryFolder();

const { plan } = experimentOf('t1');
const settings = settingsOf(plan, 7);
const file = startFile(folder, plan, settings);

/** Returns a checkpoint in the policy shape of the world, with all parameters equal to `value`. */
async function checkpoint(value: number): Promise<Uint8Array> {
  const opened = await openWorld({ environment: plan.environment, settings });
  try {
    const shape = opened.world.policy;
    const device = await nodeExactDevice();
    const { Trainer } = await import('../../../../src/training/run/trainer.ts');
    const { defaultConfiguration } = await import('../../../../src/training/data/configurationTables.ts');
    const { controls } = defaultConfiguration(plan.environment);
    const trainer = await Trainer.create(device, opened.environment, 1, controls);
    const state = await trainer.engine.readState();
    trainer.destroy();
    device.destroy();
    return new Uint8Array(writeCheckpoint(shape, { ...state, parameters: state.parameters.map(() => value) }));
  } finally {
    opened.close();
  }
}

test('a file that cannot be replaced leaves no unfinished file', () => {
  const target = join(folder, 'blocked', 'start');
  mkdirSync(join(target, 'inside'), { recursive: true });
  expect(() => writeAtomically(target, 'text')).toThrow();
  expect(readdirSync(dirname(target))).toEqual(['start']);
  rmSync(dirname(target), { recursive: true });
});

test('a saved warm start is loaded, and a damaged one is trained again with a message', async () => {
  writeAtomically(file, await checkpoint(0.5));
  expect(readdirSync(folder)).toHaveLength(1);
  const device = await nodeExactDevice();
  const { written, terminal } = paperTerminal();
  const start = await startsOf(device, plan, terminal, folder)(7);
  expect(new Set(start.state.parameters.slice(0, 100))).toEqual(new Set([0.5]));
  expect(written.err).toBe('');

  writeFileSync(file, readFileSync(file).subarray(0, 1000));
  const stop = new AbortController();
  stop.abort();
  const stopped = paperTerminal({ signal: stop.signal });
  await expect(startsOf(device, plan, stopped.terminal, folder)(7)).rejects.toThrow();
  expect(stopped.written.err).toContain('the warm start is made again');
  expect(existsSync(file)).toBe(true);
  device.destroy();
});
