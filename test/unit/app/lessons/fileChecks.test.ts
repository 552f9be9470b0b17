import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileChecks } from '../../../../src/app/lessons/teacher/fileChecks.ts';
import type { Session } from '../../../../src/app/session/pageSession.ts';
import { readLessons } from '../../../../src/lessons/lessonFiles.ts';
import { lessonRun } from '../../../../src/lessons/lessonRun.ts';
import type { Attempt, RunResult } from '../../../../src/lessons/results/courseResult.ts';
import { curvesOf, digestOf } from '../../../../src/lessons/results/digest.ts';
import { WGSL } from '../../../../src/training/data/configuration.ts';
import type { Command, Message } from '../../../../src/training/data/protocol.ts';
import { root } from '../../../files.ts';
import { attempt, courseFixture } from '../../lessons/results/resultFixture.ts';
import { metricsOf } from '../appFixtures.ts';

const lessons = readLessons(join(root, 'lessons'), 'en');
const [lesson] = lessons;
const own = lesson.runs[0];
const course = { lessons, assessment: [] };

/** What a worker of these tests trains at an update, whatever the seed. */
const row = (step: number) => metricsOf(step, { answer: step / own.steps });
const came = curvesOf(
  Array.from({ length: own.steps }, (_, step) => row(step)),
  lesson.lines,
  own.steps,
);

function runOf(seed: number, curves = came): RunResult {
  const configuration = { ...lessonRun(own), seed };
  return { name: own.name, configuration, steps: own.steps, device: 'D', curves, digest: digestOf(curves) };
}

const fileOf = (...attempts: readonly Partial<Attempt>[]) => ({
  file: 'ada.json',
  result: courseFixture({
    lessons: [{ lesson: lesson.name, attempts: attempts.map((one) => attempt({ exercises: [], ...one })) }],
    assessment: {},
  }),
});

/** Workers that train when they are told to. */
class Workers {
  readonly opened: { hear: (message: Message) => void; sent: Command[]; closed: boolean }[] = [];

  readonly open = (hear: (message: Message) => void): Session => {
    const worker = { hear, sent: [] as Command[], closed: false };
    this.opened.push(worker);
    return {
      send: (command) => void worker.sent.push(command),
      close: () => {
        worker.closed = true;
      },
    };
  };

  async train(index: number, steps = own.steps, answer = row): Promise<void> {
    // A check asks for a worker when the one before it is done.
    await expect.poll(() => this.opened.length).toBeGreaterThan(index);
    const { hear } = this.opened[index] as (typeof this.opened)[number];
    const device = { engine: 'wgsl' as const, name: 'D', software: true };
    hear({ type: 'ready', configuration: lessonRun(own), device, step: 0 });
    for (let step = 0; step < steps; step++) hear({ type: 'metrics', metrics: answer(step) });
  }
}

function open() {
  const workers = new Workers();
  return { workers, checks: new FileChecks({ requestUpdate() {} }, workers.open) };
}

const verdicts = (checks: FileChecks) =>
  (checks.found.get('ada.json') ?? [])
    .filter(({ question }) => question.startsWith('run'))
    .map(({ question, verdict, note }) => [question, verdict, note]);

test('a run is trained again from its beginning, with its seed, and the same curve is found', async () => {
  const { workers, checks } = open();
  const done = checks.check(fileOf({ runs: [runOf(7)] }), course);
  await workers.train(0, 12);
  expect(checks.going).toEqual({
    ...{ file: 'ada.json', run: 1, runs: 1, lesson: lesson.title, step: 12, steps: own.steps },
  });
  expect(workers.opened[0]?.sent).toEqual([
    { type: 'pace', updatesPerSecond: null },
    { type: 'start', configuration: { ...lessonRun(own), seed: 7 }, play: true },
  ]);
  await workers.train(0);
  await done;
  expect(verdicts(checks)).toEqual([['run end, seed 7', 'same', '']]);
  expect([checks.going, workers.opened[0]?.closed]).toEqual([undefined, true]);
});

test('a run that several attempts have is trained once, and a curve that does not come again is named', async () => {
  const { workers, checks } = open();
  const other = { ...came, answer: (came.answer ?? []).map((value, step) => (step === 3 ? 0.5 : value)) };
  const file = fileOf({ runs: [runOf(1)] }, { runs: [runOf(1, other)] }, { runs: [runOf(2)] });
  const done = checks.check(file, course);
  await workers.train(0);
  await workers.train(1);
  await done;
  expect(workers.opened).toHaveLength(2);
  expect(verdicts(checks)).toMatchObject([
    ['run end, seed 1', 'same', ''],
    ['run end, seed 1', 'differs', 'answer at update 3 is 0.5, and 0.075 on D; 0.011 apart on average'],
    ['run end, seed 2', 'same', ''],
  ]);
  await checks.check(file, course);
  expect(workers.opened).toHaveLength(2);
});

test('whoever stops keeps what was found, and the rest stays unchecked', async () => {
  const { workers, checks } = open();
  const done = checks.check(fileOf({ runs: [runOf(1)] }, { runs: [runOf(2)] }), course);
  await workers.train(0);
  await workers.train(1, 3);
  checks.stop();
  await done;
  expect(verdicts(checks)).toEqual([
    ['run end, seed 1', 'same', ''],
    ['run end, seed 2', 'unchecked', 'it was not trained again'],
  ]);
  expect(workers.opened.map(({ closed }) => closed)).toEqual([true, true]);
});

test('a file that was closed is forgotten, with the check that went on', async () => {
  const { workers, checks } = open();
  const done = checks.check(fileOf({ runs: [runOf(1)] }), course);
  await workers.train(0, 3);
  checks.clear();
  expect(checks.going).toBeUndefined();
  await done;
  expect([checks.found.size, workers.opened[0]?.closed]).toEqual([0, true]);
});

test('a run of another engine is trained again on the exact engine, once', async () => {
  const { workers, checks } = open();
  const run = runOf(1);
  const other = { ...run, device: 'a graphics card', configuration: { ...run.configuration, engine: WGSL } };
  const done = checks.check(fileOf({ runs: [other] }, { runs: [run] }), course);
  await workers.train(0);
  await done;
  expect(workers.opened.map(({ sent }) => sent.at(-1))).toEqual([
    { type: 'start', configuration: run.configuration, play: true },
  ]);
  expect(verdicts(checks)).toEqual(Array(2).fill(['run end, seed 1', 'same', '']));
});

test('what a worker says of a run that it cannot train stands in its note', async () => {
  const { workers, checks } = open();
  const done = checks.check(fileOf({ runs: [runOf(1)] }), course);
  await workers.train(0, 2);
  const problem = {
    kind: 'internal',
    message: 'The device has too little memory.',
    step: 2,
    recovery: 'none',
  } as const;
  workers.opened[0]?.hear({ type: 'problem', problem });
  await done;
  expect(verdicts(checks)).toEqual([['run end, seed 1', 'unchecked', 'The device has too little memory.']]);
});
