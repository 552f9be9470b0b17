import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeExactDevice } from '../../../../src/cli/framework/exactDevice.ts';
import { trainedRun } from '../../../../src/cli/framework/trainedRun.ts';
import { lessonRun } from '../../../../src/lessons/lessonRun.ts';
import type { Curves } from '../../../../src/lessons/results/courseResult.ts';
import { curvesOf, digestOf } from '../../../../src/lessons/results/digest.ts';
import { writeResultFile } from '../../../../src/lessons/results/resultFile.ts';
import { turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-grade-'));
afterAll(() => rmSync(folder, { recursive: true }));

const STEPS = 40;
const configuration = {
  ...lessonRun({ preset: 'grpo-or', controls: { questions: 1, groupSize: 4, minibatches: 1 }, schedule: [] }),
  seed: 5,
};
let curves: Curves;
let device: string;

beforeAll(async () => {
  const exact = await nodeExactDevice();
  device = exact.name;
  const { signal } = new AbortController();
  curves = curvesOf(await trainedRun(exact, configuration, STEPS, { signal }, () => {}), ['answer'], STEPS);
});

/** The file of a student who trained the first lesson. */
function handedIn(name: string, seed: number, own = curves): string {
  const run = { ...{ name: 'end', steps: STEPS, device, curves: own }, digest: digestOf(own) };
  const runs = [{ ...run, configuration: { ...configuration, seed } }];
  const attempts = [{ prediction: [0, 1], runs, exercises: [] }];
  const file = join(folder, `${name}.json`);
  writeFileSync(file, writeResultFile({ name, lessons: [{ lesson: 'one-reward', attempts }], assessment: {} }));
  return file;
}

test('a run comes again bit for bit, is trained once for all files that have it, and a wrong seed or curve is found out', async () => {
  const better = { answer: (curves.answer ?? []).map((value, step) => (step === 7 ? (value === 1 ? 0 : 1) : value)) };
  const files = [handedIn('ada', 5), handedIn('bob', 5), handedIn('eve', 6), handedIn('mallory', 5, better)];
  const { code, out, err } = await turnwise(['grade', ...files, '--csv']);
  const runs = out.split('\n').filter((row) => row.includes('"run end'));
  expect(runs.map((row) => /seed \d+",\w{16},\w*,(\w+),/.exec(row)?.[1])).toEqual([
    'same',
    'same',
    'differs',
    'differs',
  ]);
  expect(runs[3]).toContain('answer at update 7 is ');
  expect(code).toBe(1);
  // Seeds 5 and 6, each once.
  expect(err).toContain(`one-reward, seed 6, update ${2 * STEPS}/${2 * STEPS}`);

  const untrained = await turnwise(['grade', files[0] ?? '', '--untrained']);
  expect([untrained.code, untrained.out]).toEqual([0, expect.stringMatching(/ unchecked +it was not trained again\n/)]);
});
