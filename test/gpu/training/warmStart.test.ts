import { afterEach, expect, test } from 'vitest';
import type { Lesson } from '../../../src/environments/environment.ts';
import { createSearchEnvironment } from '../../../src/environments/search/searchEnvironment.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { WarmStartProgress } from '../../../src/training/data/protocol.ts';
import { Trainer } from '../../../src/training/run/trainer.ts';
import { WarmStartError } from '../../../src/training/run/warmStart.ts';
import { testGpu } from '../gpu.ts';

const trainers: Trainer[] = [];

afterEach(() => {
  for (const trainer of trainers.splice(0)) trainer.destroy();
});

/** A warm start of two steps a stage. @param most the largest loss of the lesson, for each try */
async function warmStart(most: readonly number[]) {
  const environment = createSearchEnvironment();
  const [skills, noisy] = environment.warmStart;
  const { what, demonstrations } = skills.lesson as Lesson;
  let tries = 0;
  const lesson: Lesson = {
    ...{ what, demonstrations },
    get most() {
      return most[Math.min(tries, most.length - 1)];
    },
  };
  const stages = [
    { ...skills, steps: 2, lesson },
    { ...noisy, steps: 2 },
  ];
  const { controls } = defaultConfiguration('search');
  const trainer = await Trainer.create(await testGpu(), { ...environment, warmStart: stages }, 0, controls);
  trainers.push(trainer);
  const seen: WarmStartProgress[] = [];
  await trainer.warmStart(0, (progress) => {
    if (progress.number === 1 && progress.step === 1) tries++;
    seen.push(progress);
  });
  return { seen, parameters: (await trainer.policy.readState()).parameters };
}

test('a warm start that fails its lesson begins again with other initial weights, and goes on where it passes', async () => {
  const [NEVER, ALWAYS] = [-1, 100];
  const once = await warmStart([ALWAYS, ALWAYS]);
  expect(once.seen.map(({ number, step, left, missed }) => [number, step, left, missed])).toEqual([
    [1, 0, 3, undefined],
    [1, 1, 2, undefined],
    [2, 0, 1, undefined],
    [2, 1, 0, undefined],
  ]);
  const twice = await warmStart([ALWAYS, NEVER, ALWAYS]);
  const missed = 'learned to read a document';
  expect(twice.seen.map((progress) => [progress.number, progress.left, progress.missed])).toEqual([
    [1, 3, undefined],
    [1, 2, undefined],
    [1, 3, missed],
    [1, 2, missed],
    [2, 1, missed],
    [2, 0, missed],
  ]);
  expect(twice.seen[0].loss).toBe(once.seen[0].loss);
  expect(twice.seen[2].loss).not.toBe(once.seen[0].loss);
  expect(twice.parameters).not.toEqual(once.parameters);
});

test('one that never learns is given up, and says what it missed and what to do', async () => {
  const failing = warmStart([-1]);
  await expect(failing).rejects.toThrow(WarmStartError);
  await expect(failing).rejects.toThrow(
    /^the warm start failed 3 times with warmSeed 0: in stage "A: clean skills" the policy never learned to read a document \(loss \d+\.\d\d, at most -1\); take another warmSeed$/,
  );
});
