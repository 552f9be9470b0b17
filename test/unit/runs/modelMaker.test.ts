import { expect, test } from 'vitest';
import { UNRELIABLE } from '../../../src/environments/shared/reliability.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { ModelProgress } from '../../../src/training/data/protocol.ts';
import { openingRun } from '../../../src/training/data/worlds.ts';
import { ModelStopped } from '../../../src/training/rewardModel/making.ts';
import { ModelMaker } from '../../../src/training/rewardModel/modelMaker.ts';
import { finished, planOf, readRewardModel } from '../../../src/training/rewardModel/rewardModelFile.ts';
import { Trainer } from '../../../src/training/run/trainer.ts';
import { begunRun } from './begunRun.ts';
import { testDevice } from './runDevice.ts';

const STEPS = 6;

async function makers() {
  const { trainer } = await begunRun(openingRun('search'));
  const { environment, engine, seed } = trainer;
  const { modelPaid } = environment;
  if (!modelPaid) throw new Error('no judge can pay here');
  const tasks = modelPaid.tasks('train').slice(0, 24);
  Object.assign(environment, { modelPaid: { ...modelPaid, tasks: () => tasks } });
  const device = await testDevice();
  const again = () => Trainer.create(device, environment, seed, defaultConfiguration('search').controls);
  const maker = () =>
    new ModelMaker(
      again,
      async () => (await engine.readState()).reference,
      (reliability) => ({ ...planOf(reliability), steps: STEPS, samples: 4 }),
    );
  return { trainer, maker };
}

/** Makes a model; told to stop where `stops` says so. */
function make(maker: ModelMaker, told: ModelProgress[], stops: (progress: ModelProgress) => boolean = () => false) {
  const controller = new AbortController();
  const progress = (one: ModelProgress) => {
    told.push(one);
    if (stops(one)) controller.abort();
  };
  return maker.make(UNRELIABLE, { progress, signal: () => controller.signal });
}

test('a model that was stopped twice, while turns were sampled and while it learned, becomes the same as one that was not', async () => {
  const { trainer, maker } = await makers();
  const before = (await trainer.engine.readState()).parameters;
  const whole: ModelProgress[] = [];
  const file = await make(maker(), whole);
  expect(whole.filter(({ stage }) => stage === 'steps').map(({ done, of }) => [done, of])).toEqual(
    Array.from({ length: STEPS }, (_, step) => [step + 1, STEPS]),
  );
  const { noise, bias } = finished(readRewardModel(trainer.engine.config, file));
  expect({ noise, bias }).toEqual(UNRELIABLE);

  const stopped = maker();
  await expect(make(stopped, [], ({ stage }) => stage === 'turns')).rejects.toThrow(ModelStopped);
  const first: ModelProgress[] = [];
  await expect(make(stopped, first, ({ stage, done }) => stage === 'steps' && done === 2)).rejects.toThrow(
    ModelStopped,
  );
  expect(first[0].stage).toBe('turns');
  const second: ModelProgress[] = [];
  const continued = await make(stopped, second);
  // It goes on where it was: no turn is sampled again, no step done again.
  const last = first.at(-1)?.done ?? 0;
  expect(second.map(({ stage, done }) => [stage, done])).toEqual(
    Array.from({ length: STEPS - last }, (_, step) => ['steps', last + step + 1]),
  );
  expect(new Uint8Array(continued)).toEqual(new Uint8Array(file));
  // The run is as it was.
  expect((await trainer.engine.readState()).parameters).toEqual(before);
});

test('a run that has no judge makes one of the policy that it began with, and hands it out', async () => {
  const base = openingRun('search');
  const small = { heldOutMode: 'off', questions: 4, turnReward: 'unreliable', judgeNoise: 0.1, judgeBias: 0.25 };
  const run = await begunRun({ ...base, controls: { ...base.controls, ...small } }, { load: async () => undefined });
  const controller = new AbortController();
  const told: ModelProgress[] = [];
  const progress = (one: ModelProgress) => {
    told.push(one);
    if (one.stage === 'steps') controller.abort();
  };
  run.trainer.payment.making = { progress, signal: () => controller.signal };
  await expect(run.update()).rejects.toThrow(ModelStopped);
  expect(run.step).toBe(0);
  expect(told.at(-1)).toMatchObject({ noise: 0.1, bias: 0.25, stage: 'steps', of: 400 });
  // With rules that pay it goes on at once.
  run.change({ turnReward: 'rules' });
  await (await run.update()).metrics;
  expect(run.step).toBe(1);
});
