import { expect, test } from 'vitest';
import { readCheckpoint, stateDigest, writeCheckpoint } from '../../../src/engine/shared.ts';
import { banditRun, update } from './banditRun.ts';

const SMALL = { questions: 2, groupSize: 4, rule: 'mt-ppo', criticUpdates: 1 };

test('every update on the exact engine reports the digest of its final parameters, the critic included', async () => {
  const run = await banditRun(SMALL);
  const digests: (number | null)[] = [];
  for (let i = 0; i < 2; i++) {
    digests.push((await update(run)).parameterDigest);
    const state = await run.trainer.engine.readState();
    expect(state.critic).toBeDefined();
    expect(digests[i]).toBe(stateDigest(run.trainer.engine.config, state));
  }
  expect(digests[0]).not.toBe(digests[1]);
});

test('a run that resumes with its saved parameters logs no digest event', async () => {
  const run = await banditRun(SMALL);
  await update(run);
  const resumed = await banditRun(SMALL);
  resumed.resume(await run.save());
  expect(resumed.events).toEqual([]);
});

test('a run that resumes with changed parameters logs both digests, and trains', async () => {
  const run = await banditRun(SMALL);
  const { parameterDigest: recorded } = await update(run);
  const saved = await run.save();
  const state = readCheckpoint(run.trainer.engine.config, saved.checkpoint);
  state.parameters[7] += 1e-4;
  const checkpoint = writeCheckpoint(run.trainer.engine.config, state);
  const resumed = await banditRun(SMALL);
  resumed.resume({ ...saved, checkpoint });
  const digest = stateDigest(run.trainer.engine.config, state);
  expect(resumed.events).toEqual([
    {
      ...{ step: 1, kind: 'digest', changes: {} },
      text: `the parameters have the digest ${digest}; update 0 recorded ${recorded}`,
    },
  ]);
  expect((await update(resumed)).step).toBe(1);
});
