import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logFiles } from '../../../../src/cli/framework/logs.ts';
import { stepInPath } from '../../../../src/rollouts/import/logPaths.ts';
import { readGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder } = temporaryFolder();

/** Writes a file with one object per line into the folder of this test and returns its path. */
function file(name: string, rows: readonly object[]): string {
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return join(folder, name);
}

/** Table of TRL with two reward functions and a list of turn rewards. */
const TABLE = [
  { step: 3, prompt: 'q', completion: 'yes', accuracy: 1, format: 0.5, advantage: 0.7, turns: [0.2] },
  { step: 3, prompt: 'q', completion: 'no', accuracy: 0, format: 0.5, advantage: -0.7, turns: [0.1] },
];

describe('--outcome for logs of TRL', () => {
  const run = (...flags: readonly string[]) =>
    turnwise(['import', '--turn-rewards', 'turns', ...flags, file('trl.jsonl', TABLE)]);

  test.each([
    ['total', true],
    ['apart', false],
  ])('--outcome %s is written into the groups of a TRL log', async (outcome, expected) => {
    const { code, out, err } = await run('--outcome', outcome);
    expect([code, readGroups(out).map(({ outcomeIsTotal }) => outcomeIsTotal)]).toEqual([0, [expected]]);
    expect(err).toContain('turn rewards add up to the reward in 0 of 2 rollouts');
  });

  test('without --outcome, weighted sums of reward columns decide if turn rewards are part of the reward', async () => {
    expect(readGroups((await run()).out)[0].outcomeIsTotal).toBe(false);
    const table = TABLE.map((row) => ({ ...row, turns: [row.accuracy + 2 * row.format] }));
    const total = ['--turn-rewards', 'turns', '--reward', 'accuracy', '--reward', 'format=2'];
    const { out, err } = await turnwise(['import', ...total, file('trl.jsonl', table)]);
    expect(readGroups(out)[0].outcomeIsTotal).toBe(true);
    expect(err).toContain('turn rewards add up to the reward in 2 of 2 rollouts: taken as its parts');
  });
});

test('--outcome without turn rewards is reported as without effect', async () => {
  const log = file('verl.jsonl', [{ input: 'q', output: 'a', score: 1, step: 1 }]);
  const { err } = await turnwise(['import', '--outcome', 'total', log]);
  expect(err).toContain('--outcome total has no effect: no turn has a reward');
});

test('a step from the number in a file name is reported', async () => {
  const row = { input: 'q', output: 'a', score: 1 };
  const files = [2026, 2027].map((number) => file(`run_${number}.jsonl`, [row]));
  const { out, err } = await turnwise(['import', ...files]);
  expect(readGroups(out).map(({ step }) => step)).toEqual([2026, 2027]);
  expect(err).toContain(`step 2026 is the number in the path ${files[0]}; likewise in 1 more file`);
});

describe('files of groups', () => {
  const turn = (outcome: number) => ({ parent: -1, reward: 0, outcome });
  const groups = [
    { id: 'a', turns: [turn(1), turn(0)] },
    { id: 'b', turns: [turn(1), turn(1)] },
    { id: 'c', turns: [turn(0)] },
    {
      id: 'd',
      turns: [
        { ...turn(1), reward: 0.5 },
        { ...turn(1), reward: 0 },
      ],
    },
  ];

  test('doctor counts groups without credit in a file of groups', async () => {
    const json = join(folder, 'doctor.json');
    const { code, err } = await turnwise(['doctor', '--json', json, file('groups.jsonl', groups)]);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(json, 'utf8')).totals.withoutSignal).toEqual({
      'all solved': 1,
      'one rollout alone': 1,
    });
    expect(err).toContain('4 groups read from files of groups');
    expect(err).toContain('2 of 4 groups give no credit under rules that compare outcomes');
  });

  test.each([
    ['--turn-rewards', 'scores'],
    ['--reward', 'accuracy'],
    ['--cut', 'none'],
    ['--outcome', 'total'],
  ])('doctor rejects %s for a file of groups, because only logs need this flag', async (flag, value) => {
    const path = file('groups.jsonl', groups);
    await expectRejected(
      ['doctor', flag, value, path],
      `${path}: ${flag}: only logs need it; this is a file of groups`,
    );
  });

  test('doctor reports the file and line of an invalid group', async () => {
    const path = file('wrong.jsonl', [groups[0], { id: 'b', turns: [{ parent: 3, reward: 0 }] }]);
    await expectRejected(['doctor', path], /wrong\.jsonl, line 2, group "b", turn 0/);
  });

  test('doctor stops on Ctrl-C with exit code 130', async () => {
    const stop = new AbortController();
    stop.abort();
    const { code, out } = await turnwise(['doctor', file('groups.jsonl', groups)], { signal: stop.signal });
    expect([code, out]).toEqual([130, '']);
  });
});

test('a folder with the file extension of a log is read as a folder', async () => {
  mkdirSync(join(folder, 'run', 'old.jsonl'), { recursive: true });
  writeFileSync(
    join(folder, 'run', 'old.jsonl', '3.jsonl'),
    readFileSync(join(root, 'test/fixtures/import/verl/10.jsonl')),
  );
  const { code, out } = await turnwise(['import', join(folder, 'run')]);
  expect([code, readGroups(out).length]).toEqual([0, 2]);
});

test.each([
  ['run/rollouts/step_12/train_rollouts.jsonl', 12],
  ['run/global_step_40/rollouts.jsonl', 40],
  ['rollouts/7.jsonl', 7],
  ['completions/completions_00010.parquet', 10],
  ['run/step_3/8.jsonl', 3],
  ['evals/steps/results.jsonl', undefined],
  ['results-0.1.5.jsonl', undefined],
  ['rollouts/7.jsonl.gz', 7],
  ['monitors/file/traces/stream/00001.jsonl.zst', undefined],
  ['run/django-11099/django-11099.traj', undefined],
  ['footstep_9/results.jsonl', undefined],
])('the step in the path %s is %s', (path, step) => {
  expect(stepInPath(path)).toBe(step);
});

test('a folder is read recursively in numeric order, and a subfolder named like a log is not a log', () => {
  const log = join(folder, 'numbered');
  for (const step of [10, 9, 1]) {
    mkdirSync(join(log, `step_${step}`), { recursive: true });
    writeFileSync(join(log, `step_${step}`, 'a.jsonl'), '');
  }
  writeFileSync(join(log, 'notes.txt'), '');
  mkdirSync(join(log, 'old.jsonl'));
  const paths = [1, 9, 10].map((step) => join(log, `step_${step}`, 'a.jsonl'));
  expect(logFiles([log])).toEqual(paths.map((path) => ({ path, parts: [path] })));
  expect(() => logFiles([join(log, 'none')])).toThrow('there is no file');
});
