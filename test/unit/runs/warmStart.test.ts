import { afterEach, expect, test } from 'vitest';
import type { Lesson } from '../../../src/environments/environment.ts';
import { createSearchEnvironment } from '../../../src/environments/search/open.ts';
import { writeCheckpoint } from '../../../src/policy/checkpoint.ts';
import { parameterLayout } from '../../../src/policy/weights.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { WarmStartProgress } from '../../../src/training/data/protocol.ts';
import { Trainer } from '../../../src/training/run/trainer.ts';
import {
  isStopped,
  readStopped,
  WarmStartError,
  type WarmStartPoint,
  writeStopped,
} from '../../../src/training/run/warmStart.ts';
import { testDevice } from './runDevice.ts';

const trainers: Trainer[] = [];

afterEach(() => {
  for (const trainer of trainers.splice(0)) trainer.destroy();
});

/** Trains a warm start with two steps per stage. @param stepLimit [attempts] maximum loss of the lesson */
async function warmStart(stepLimit: readonly number[]) {
  const environment = createSearchEnvironment();
  const [skills, noisy] = environment.warmStart;
  const { skill, demonstrations } = skills.lesson as Lesson;
  let attempts = 0;
  const lesson: Lesson = {
    ...{ skill, demonstrations },
    get stepLimit() {
      return stepLimit[Math.min(attempts, stepLimit.length - 1)];
    },
  };
  const stages = [
    { ...skills, steps: 2, lesson },
    { ...noisy, steps: 2 },
  ];
  const { controls } = defaultConfiguration('search');
  const trainer = await Trainer.create(await testDevice(), { ...environment, warmStart: stages }, 0, controls);
  trainers.push(trainer);
  const observed: WarmStartProgress[] = [];
  await trainer.warmStart(0, (progress) => {
    if (progress.number === 1 && progress.step === 1) attempts++;
    observed.push(progress);
  });
  return { progressLog: observed, parameters: (await trainer.engine.readState()).parameters };
}

test('a warm start that fails its lesson restarts with other initial weights, and continues if it passes', async () => {
  const [NEVER, ALWAYS] = [-1, 100];
  const once = await warmStart([ALWAYS, ALWAYS]);
  expect(once.progressLog.map(({ number, step, left, missed }) => [number, step, left, missed])).toEqual([
    [1, 0, 3, undefined],
    [1, 1, 2, undefined],
    [2, 0, 1, undefined],
    [2, 1, 0, undefined],
  ]);
  const twice = await warmStart([ALWAYS, NEVER, ALWAYS]);
  const missed = 'learned to read a document';
  expect(twice.progressLog.map((progress) => [progress.number, progress.left, progress.missed])).toEqual([
    [1, 3, undefined],
    [1, 2, undefined],
    [1, 3, missed],
    [1, 2, missed],
    [2, 1, missed],
    [2, 0, missed],
  ]);
  expect(twice.progressLog[0].loss).toBe(once.progressLog[0].loss);
  expect(twice.progressLog[2].loss).not.toBe(once.progressLog[0].loss);
  expect(twice.parameters).not.toEqual(once.parameters);
});

test('a warm start that fails its lesson 3 times throws an error with the lesson and a suggestion', async () => {
  const failing = warmStart([-1]);
  await expect(failing).rejects.toThrow(WarmStartError);
  await expect(failing).rejects.toThrow(
    /^the warm start failed 3 times with warmSeed 0: in stage "A: clean skills" the policy never learned to read a document \(loss \d+\.\d\d, at most -1\); take another warmSeed$/,
  );
});

/**
 * Trains a warm start that stops at the given steps and continues from the file of each stop.
 * @param stops [stops] number of the stage, from 1, and step of each stop
 */
async function resumed(stops: readonly (readonly [number: number, step: number])[]) {
  const environment = createSearchEnvironment();
  const stages = environment.warmStart.map(({ lesson: _, ...stage }) => ({ ...stage, steps: 4 }));
  const { controls } = defaultConfiguration('search');
  const observed: string[] = [];
  let file: ArrayBuffer | undefined;
  for (const stop of [...stops, undefined]) {
    const trainer = await Trainer.create(await testDevice(), { ...environment, warmStart: stages }, 0, controls);
    trainers.push(trainer);
    const { engine } = trainer;
    const from = file && readStopped(engine.config, file);
    if (from) trainer.load(from.state, 0);
    let at: WarmStartPoint | undefined;
    const recordProgress = ({ number, step, left }: WarmStartProgress, point: WarmStartPoint) => {
      at = point;
      observed.push(`${number} ${step} ${left}`);
      if (stop?.[0] === number && stop[1] === step) throw new Error('stop');
    };
    const training = trainer.warmStart(0, recordProgress, from?.point);
    if (!stop) await training;
    else {
      await expect(training).rejects.toThrow('stop');
      const state = await engine.readState();
      file = writeStopped(engine.config, { point: at as WarmStartPoint, state }, {});
      expect(isStopped(file)).toBe(true);
    }
  }
  const { parameters } = await (trainers.at(-1) as Trainer).engine.readState();
  return { progressLog: observed, parameters };
}

test('a warm start that continues from the files of its stops has the parameters of one without a stop', async () => {
  const complete = await resumed([]);
  expect(complete.progressLog).toEqual(['1 0 7', '1 1 6', '1 2 5', '1 3 4', '2 0 3', '2 1 2', '2 2 1', '2 3 0']);
  const often = await resumed([
    [1, 0],
    [1, 3],
    [2, 1],
  ]);
  expect(often.parameters).toEqual(complete.parameters);
  // No step is repeated.
  expect(often.progressLog).toEqual(complete.progressLog);
});

test('a warm start does not continue from another checkpoint, damaged metadata or an unknown stage', async () => {
  const trainer = await Trainer.create(
    await testDevice(),
    createSearchEnvironment(),
    0,
    defaultConfiguration('search').controls,
  );
  trainers.push(trainer);
  const { config } = trainer.engine;
  const parameters = new Float32Array(parameterLayout(config).size);
  const file = (metadata: Record<string, string>) => writeCheckpoint(config, { parameters }, metadata);
  expect(() => readStopped(config, file({}))).toThrow('the checkpoint is no warm start that was stopped');
  expect(() => readStopped(config, file({ warmStart: '{' }))).toThrow('metadata "warmStart" is not JSON');
  expect(() => readStopped(config, file({ warmStart: '{"draw":0}' }))).toThrow('names no try and no stage');
  for (const point of [
    { draw: 3, stage: 0 },
    { draw: 0, stage: 2 },
  ]) {
    await expect(trainer.warmStart(0, () => {}, point)).rejects.toThrow(
      `stopped at try ${point.draw + 1}, stage ${point.stage + 1}, and there are 3 tries of 2 stages`,
    );
  }
});
