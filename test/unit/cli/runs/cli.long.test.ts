import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRunFile } from '../../../../src/storage/runFile.ts';
import { expectRejected, turnwise } from '../cliTerminal.ts';
import { lines, path, START, spawnTrain, TINY, train } from './trainCommand.ts';

test('compare --switch trains the same run as train with a change at that step', async () => {
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

test('a stopped warm-start saves a partial result, which train rejects, and continues to the same bytes', async () => {
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
  expect([rejected.code, rejected.err]).toEqual([2, expect.stringContaining('this warm start is not finished')]);
  await expectRejected(
    `warm-start --resume ${part} --worldSeed 1 ${flags} ${path('other')}`,
    'it was made with settings {',
  );
  await expectRejected(
    `warm-start --resume ${part} --episodes 0 --out ${path('other')}`,
    'made with stageSteps 6, but the command has all',
  );
  expect((await turnwise(`warm-start --resume ${part} ${flags} ${path('again')}`)).code).toBe(0);
  expect(readFileSync(path('again')).equals(readFileSync(path('whole')))).toBe(true);
});

test.each([
  ['whose output is no longer read', 0, (child: ReturnType<typeof spawnTrain>) => child.stdout.destroy()],
  ['whose terminal was closed', 129, (child: ReturnType<typeof spawnTrain>) => child.kill('SIGHUP')],
])('the training of a run %s stops and saves the run', async (_, code, end) => {
  const file = path(`kept-${code}`);
  const child = spawnTrain(`${START} --steps 5000 --save ${file}`);
  child.stderr.resume();
  child.stdout.once('data', () => end(child));
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(code);
  const { step } = readRunFile(readFileSync(file, 'utf8'));
  expect([step > 0, step < 5000]).toEqual([true, true]);
});
