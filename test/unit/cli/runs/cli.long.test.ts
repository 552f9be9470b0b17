import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readRecording, writeRecording } from '../../../../src/storage/recordingFile.ts';
import { readRunFile } from '../../../../src/storage/runFile.ts';
import { timeless } from '../../../timeless.ts';
import { turnwise } from '../cliTerminal.ts';
import { path } from './folder.ts';
import { lines, START, TINY, train, trainAlone } from './trainCommand.ts';

test('compare lets arms become one another, as train does at that step', async () => {
  const json = path('switched');
  const flags = `compare ${TINY} ${START} --steps 2 --heldOut 8 --base 8 --seeds 1 --rules mt-grpo,grpo-or --json ${json}`;
  const { code, out } = await turnwise(`${flags} --switch 1,3`);
  expect([
    code,
    out
      .split('\n')
      .slice(1, 5)
      .map((line) => line.slice(0, 19)),
  ]).toEqual([0, ['mt-grpo  grpo-or  1', 'mt-grpo  grpo-or  3', 'grpo-or  mt-grpo  1', 'grpo-or  mt-grpo  3']]);
  const { runs } = JSON.parse(readFileSync(json, 'utf8'));
  const last = runs.find((run: { arm: { name: string } }) => run.arm.name === 'mt-grpo>grpo-or@3');
  const single = await train(`${START} --steps 5 --rule mt-grpo --at 3:rule=grpo-or`);
  const six = (output: string, name: 'entropy' | 'gradientNorm') =>
    lines(output).map((row) => Number((row[name] as number).toPrecision(6)));
  for (const name of ['entropy', 'gradientNorm'] as const) expect(six(single.out, name)).toEqual(last.series[name]);

  const back = await turnwise(`${flags} --switch 2 --habit 1`);
  expect([back.code, back.out]).toEqual([0, expect.stringMatching(/^grpo-or +mt-grpo +2 +1 /m)]);
  const [returned] = JSON.parse(readFileSync(json, 'utf8')).runs.slice(-1);
  const same = await train(`${START} --steps 5 --rule mt-grpo --at 1:rule=grpo-or --at 3:rule=mt-grpo`);
  expect(six(same.out, 'entropy')).toEqual(returned.series.entropy);
});

test('warm-start that is stopped keeps what there is, which no run begins with, and goes on to the same bytes', async () => {
  const flags = '--stageSteps 6 --episodes 0 --out';
  expect((await turnwise(`warm-start ${flags} ${path('whole')}`)).code).toBe(0);
  const stop = new AbortController();
  const stopped = await turnwise(`warm-start ${flags} ${path('again')}`, {
    signal: stop.signal,
    err: () => stop.abort(),
  });
  expect([stopped.code, existsSync(path('again'))]).toEqual([130, false]);
  const part = path('again.part');
  const rejected = await train(`--checkpoint ${part} --steps 1`);
  expect([rejected.code, rejected.err]).toEqual([2, expect.stringContaining('this warm start was stopped')]);
  const other = await turnwise(`warm-start --resume ${part} --worldSeed 1 ${flags} ${path('other')}`);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('it was made with settings {')]);
  const longer = await turnwise(`warm-start --resume ${part} --episodes 0 --out ${path('other')}`);
  expect([longer.code, longer.err]).toEqual([
    2,
    expect.stringContaining('made with stageSteps 6, and all is asked for'),
  ]);
  expect((await turnwise(`warm-start --resume ${part} ${flags} ${path('again')}`)).code).toBe(0);
  expect(readFileSync(path('again')).equals(readFileSync(path('whole')))).toBe(true);
});

test('record --rules puts several runs into one recording, each the run that train makes', async () => {
  // From the warm start: fresh weights have nothing to tell rules apart by.
  const shared = `${TINY} --preset mt-grpo --seed 2 --steps 4 --at 2:klCoef=0.5`;
  const flags = `--rules mt-grpo,grpo-or:learningRate=5e-4 --groupEvery 3 --out ${path('several')}`;
  const result = await turnwise(`record ${shared} ${flags}`);
  expect([result.code, result.err]).toEqual([0, expect.stringMatching(/^run 1: mt-grpo$.*^run 2: grpo-or$/ms)]);
  const recording = readRecording(gunzipSync(readFileSync(path('several'))).toString());
  const own = ['--rule mt-grpo', '--rule grpo-or --learningRate 5e-4'];
  expect(recording).toHaveLength(own.length);
  for (const [index, rule] of own.entries()) {
    await turnwise(`train ${shared} ${rule} --out ${path('lines')} --save ${path('alone')}`);
    const { configuration, metrics, events } = readRunFile(readFileSync(path('alone'), 'utf8'));
    const run = recording[index];
    expect([run.configuration, run.events]).toEqual([configuration, events]);
    // As many digits as a recording has.
    const [{ metrics: shown }] = readRecording(writeRecording([{ ...run, metrics }]));
    expect(run.metrics.map(timeless)).toEqual(shown.map(timeless));
    expect(run.groups.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  }
  expect(recording[0].metrics[3].entropy).not.toBe(recording[1].metrics[3].entropy);

  const told = async (line: string) => {
    const { code, err } = await turnwise(`record ${line}`);
    return [code, err];
  };
  const five = 'mt-grpo,grpo-or,grpo-mr,rloo,rtmc';
  expect(await told(`--rules ${five}`)).toEqual([
    2,
    expect.stringContaining('--rules: 5 runs, and a page plays up to 4'),
  ]);
  expect(await told('--rules mt-grpo:colour=3')).toEqual([2, expect.stringContaining('no parameter "colour"')]);
  expect(await told('--all --rules mt-grpo,grpo-or')).toEqual([
    2,
    expect.stringContaining('--rules does not go with --all'),
  ]);
});

test.each([
  ['nobody reads any more', 0, (child: ReturnType<typeof trainAlone>) => child.stdout.destroy()],
  ['whose terminal was closed', 129, (child: ReturnType<typeof trainAlone>) => child.kill('SIGHUP')],
])('a run %s is kept', async (_, code, end) => {
  const file = path(`kept-${code}`);
  const child = trainAlone(`${START} --steps 5000 --save ${file}`);
  child.stderr.resume();
  child.stdout.once('data', () => end(child));
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(code);
  const { step } = readRunFile(readFileSync(file, 'utf8'));
  expect([step > 0, step < 5000]).toEqual([true, true]);
});
