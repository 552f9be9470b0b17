import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { normalizeTokens } from '../../../../src/objective/objective.ts';
import { readCheckpoint, writeCheckpoint } from '../../../../src/policy/checkpoint.ts';
import { initialParameters } from '../../../../src/policy/weights.ts';
import { readGroups } from '../../../../src/rollouts/jsonLines.ts';
import { readRunFile } from '../../../../src/storage/runFile.ts';
import type { Metrics } from '../../../../src/training/data/protocol.ts';
import { timeless } from '../../../timeless.ts';
import { expectClose } from '../../../vectorFile.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';
import { config, fileLines, lines, path, START, spawnTrain, TINY, train } from './trainCommand.ts';

const { folder } = temporaryFolder();

/** Metrics that are part of the documented output of the terminal. */
const PROMISED = [
  ...['step', 'rule', 'toolUse', 'retrieval', 'answer', 'format', 'rewardTurn', 'rewardOutcome', 'entropy', 'klOld'],
  ...['klReference', 'clipLow', 'clipHigh', 'gradientNorm', 'degenerate', 'degenerateBest', 'degenerateWorst'],
  ...['tokensPerSecond', 'stepMs'],
];

test('train writes only one line of metrics per update to standard output', async () => {
  const { code, out, err } = await train(`${START} --steps 2`);
  expect([code, lines(out).map(({ step }) => step)]).toEqual([0, [0, 1]]);
  for (const row of lines(out)) {
    expect(Object.keys(row)).toEqual(expect.arrayContaining(PROMISED));
    for (const name of PROMISED)
      expect(row[name as keyof Metrics], name).toEqual(name === 'rule' ? 'mt-grpo' : expect.any(Number));
  }
  expect(err).toMatch(/^update 2\/2 · mt-grpo · tool /);
});

test('runs with equal seeds have equal lines, and --at changes the rule at its step', async () => {
  const run = (flags: string) => train(`${START} --steps 3 ${flags}`);
  const [first, again, different] = [
    await run('--at 1:rule=grpo-or'),
    await run('--at 1:rule=grpo-or'),
    await run('--seed 2'),
  ];
  expect(lines(again.out).map(timeless)).toEqual(lines(first.out).map(timeless));
  expect(lines(different.out).map(timeless)).not.toEqual(lines(first.out).map(timeless));
  expect(lines(first.out).map(({ rule }) => rule)).toEqual(['mt-grpo', 'grpo-or', 'grpo-or']);
  expect(first.err).toContain('step 1: rule: mt-grpo → grpo-or\n');
});

test('a saved run continues with exactly the same metrics, and evaluate reads it', async () => {
  const flags = `${START} --at 2:rule=grpo-or,learningRate=3e-4`;
  await train(`${flags} --steps 4 --out ${path('whole')}`);
  await train(`${flags} --steps 2 --out ${path('half')} --save ${path('kept')}`);
  const resumed = await turnwise(`train --resume ${path('kept')} --steps 4 --out ${path('both')}`);
  expect([resumed.code, resumed.out]).toEqual([0, '']);
  expect(fileLines('half')).toHaveLength(2);
  expect(fileLines('whole')[3].rule).toBe('grpo-or');
  expect(fileLines('both').map(timeless)).toEqual(fileLines('whole').map(timeless));

  const measured = await turnwise(`evaluate --checkpoint ${path('kept')} --episodes 10 --json ${path('rates')}`);
  expect(measured.out).toMatch(/^rate +measured\nepisodes +10\ntoolUse +/);
  const rates = JSON.parse(readFileSync(path('rates'), 'utf8'));
  expect(rates).toMatchObject({ split: 'held-out', episodes: 10, toolUse: expect.any(Number) });

  await expectRejected(`train --resume ${path('kept')} --steps 2`, '--steps: 2 is not above 2, the number of updates');
});

test.each(['mt-grpo', 'mt-ppo'])('credit computes the advantages of a run under %s from its groups', async (rule) => {
  const file = path(`groups-${rule}`);
  const run = await train(
    `${START} --rule ${rule} --criticUpdates 1 --steps 2 --groups ${file} --out ${path('metrics')}`,
  );
  expect([run.code, run.out]).toEqual([0, '']);
  const groups = readGroups(readFileSync(file, 'utf8'));
  expect(groups.map(({ id }) => id)).toEqual(
    [0, 1].flatMap((step) => [1, 2].map((number) => `step-${step}-group-${number}`)),
  );
  expect(groups[0]).toMatchObject({ rule, question: expect.any(String), step: 0 });

  const parameters = rule === 'mt-ppo' ? '--set gamma=1,lambda=0.95' : '';
  const again = await turnwise(`credit --rule ${rule} ${parameters} --device cpu ${file}`);
  expect([again.code, again.err]).toEqual([0, expect.stringMatching(/^4 (of 4 )?groups.*\n$/)]);
  const derivedLines = again.out.trim().split('\n');
  for (const step of [0, 1]) {
    const stepGroups = groups.slice(2 * step, 2 * step + 2);
    const credits = derivedLines.slice(2 * step, 2 * step + 2).map((line) => JSON.parse(line));
    const turns = stepGroups.flatMap((group) => group.turns);
    if (rule === 'mt-grpo') {
      expectClose(
        turns.map(({ advantage }) => advantage as number),
        credits.flatMap(({ advantage }) => advantage),
        1e-4,
      );
      expect(turns[0]).not.toHaveProperty('values');
    } else {
      const used = turns.flatMap(({ tokenAdvantages }) => tokenAdvantages as number[]);
      expectClose(used, normalizeTokens(credits.flatMap(({ advantages }) => advantages.flat())), 1e-4);
      for (const { tokens, values } of turns) expect(values).toHaveLength(tokens ?? NaN);
      expect(turns.some(({ values }) => values?.some((value) => value !== 0))).toBe(true);
    }
  }
});

test('an interrupted run exits with code 130, complete lines and a saved run that can be continued', async () => {
  const stop = new AbortController();
  const { code } = await train(`${START} --steps 50 --save ${path('stopped')}`, {
    signal: stop.signal,
    out: (text) => text.includes('"step":1,') && stop.abort(),
  });
  expect(code).toBe(130);
  const { step, metrics } = JSON.parse(readFileSync(path('stopped'), 'utf8')) as { step: number; metrics: Metrics[] };
  expect(step).toBeGreaterThanOrEqual(2);
  expect(step).toBeLessThan(50);
  expect(metrics.map((row) => row.step)).toEqual(Array.from({ length: step }, (_, index) => index));
});

test('a value that is not finite ends the run with a message, no line of metrics and saved weights', async () => {
  const huge = initialParameters(config, 3).map((value) => value * 1e18);
  writeFileSync(path('huge'), new Uint8Array(writeCheckpoint(config, { parameters: huge })));
  const flags = `--checkpoint ${path('huge')} --steps 5 --out ${path('broken')} --save ${path('good')}`;
  const { code, err } = await train(flags);
  expect([code, readFileSync(path('broken'), 'utf8')]).toEqual([1, '']);
  expect(err).toMatch(/training stopped: update 0: the (loss|gradient) is not finite/);
  expect(err).toContain('; saved at step 0 with the last finite weights: ');
  const { step, metrics, checkpoint } = readRunFile(readFileSync(path('good'), 'utf8'));
  expect([step, metrics]).toEqual([0, []]);
  expect(readCheckpoint(config, checkpoint).parameters).toEqual(huge);
});

test('compare trains all arms from one policy, saves them, continues, and prints its results', async () => {
  const flags = `compare ${TINY} ${START} --steps 2 --heldOut 8 --base 8 --json ${path('found')}`;
  const first = await turnwise(`${flags} --rules grpo-or --seeds 1`);
  expect(first.code).toBe(0);
  const started: string[] = [];
  const second = await turnwise(
    `${flags} --rules grpo-or,mt-grpo --seeds 2 --svg ${path('svg')} --markdown ${path('md')}`,
    {
      err: (text) => started.push(text),
    },
  );
  expect(second.code).toBe(0);
  expect(started.join('')).toContain('6/6');
  expect(second.out).toMatch(/^arm +seeds +tool use 0\/end/);
  expect(second.out).toMatch(/^open +Turn-level rewards: GRPO-OR takes the shortcut/m);
  const results = JSON.parse(readFileSync(path('found'), 'utf8'));
  expect(results.runs).toHaveLength(4);
  for (const seed of [1, 2]) {
    const [or, mt] = results.runs.filter((run: { seed: number }) => run.seed === seed);
    // The first batch is sampled before the first update, so it is equal for all arms of a seed.
    expect(or.series.entropy[0]).toBe(mt.series.entropy[0]);
    expect(or.series.toolUse).toHaveLength(2);
  }
  expect(existsSync(path('svg')) && existsSync(path('md'))).toBe(true);
  const again = await turnwise(`${flags} --rules grpo-or,mt-grpo --seeds 2`);
  expect([again.code, again.out]).toEqual([0, second.out]);

  const trained = await train(`${START} --steps 2 --rule mt-grpo --seed 2`);
  expect(lines(trained.out).map(({ entropy }) => Number(entropy.toPrecision(6)))).toEqual(
    results.runs[3].series.entropy,
  );
});

test('warm-start creates a checkpoint that train starts from, and reports its distance from the goals', async () => {
  const created = await turnwise(`warm-start --stageSteps 3 --episodes 8 --out ${path('made')}`);
  expect(created.code).toBe(0);
  expect(created.out).toMatch(/^8 training episodes +measured +standard/);
  expect(created.out).toMatch(/^tool use +\d\.\d{3} +0\.47 to 0\.57 +outside$/m);
  expect(created.err).toContain('6/6');
  expect((await train(`--checkpoint ${path('made')} --steps 1`)).code).toBe(0);
});

test('a line that cannot be written ends the training, and the run is saved', async () => {
  const { code, err } = await train(`${START} --steps 50 --out /dev/full --save ${path('saved')}`);
  expect(code).toBe(1);
  expect(err).toMatch(
    /saved at step \d+: .*saved\n.*--out: \/dev\/full cannot be written \(no space left on device\)\n$/s,
  );
  const { step, metrics } = JSON.parse(readFileSync(path('saved'), 'utf8'));
  expect([step < 50, metrics.length]).toEqual([true, step]);
});

test('a run can be continued in its own file, and its file is rejected as another output', async () => {
  await train(`${START} --steps 1 --save ${path('own')}`);
  const resume = `train --resume ${path('own')} --steps 2`;
  const rejected = await turnwise(`${resume} --out ${path('own')}`);
  expect([rejected.code, readRunFile(readFileSync(path('own'), 'utf8')).step]).toEqual([2, 1]);
  expect((await turnwise(`${resume} --save ${path('own')}`)).code).toBe(0);
  expect(readRunFile(readFileSync(path('own'), 'utf8')).step).toBe(2);
});

test('the program exits when it runs in a separate process', async () => {
  const child = spawnTrain(`${START} --steps 1`);
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.resume();
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, lines(out).length]).toEqual([0, 1]);
});

test('sharing of states is measured on the same rollouts at every group size and granularity', async () => {
  const json = path('sharing');
  const { code, out } = await turnwise(
    `evaluate --environment repo --problems 3 --sharing 4,2 --samples 2 --json ${json}`,
  );
  const { episodes, sharing } = JSON.parse(readFileSync(json, 'utf8'));
  expect([code, episodes, sharing.rollouts, sharing.sizes]).toEqual([0, 12, 4, [2, 4]]);
  const share = (name: string) => sharing.shares[name].map(({ value }: { value: number }) => value);
  for (const name of ['history', 'paper', 'coarse', 'contents']) {
    const [two, four] = share(name);
    // All rollouts start in one state.
    expect(two).toBeGreaterThanOrEqual(episodes / sharing.steps - 1e-12);
    expect(four).toBeGreaterThanOrEqual(two);
    expect(four).toBeLessThanOrEqual(1);
  }
  // States that are equal by all actions are equal by the effects of the actions, and by their edits and results.
  expect(share('paper')[1]).toBeGreaterThanOrEqual(share('history')[1]);
  expect(share('coarse')[1]).toBeGreaterThanOrEqual(share('paper')[1]);
  expect(out).toMatch(/^states +G = 2, % +G = 4, %\nhistory +\d+\.\d \[/m);
});

// Rules in files, trained by the commands. The environment has the shortest updates.

const rule = join(folder, 'quarter.py');
writeFileSync(rule, 'def credit(group, size=0.25):\n    return [size] * len(group.turns)\n');
const LABEL = /quarter\.py.*#[0-9a-f]{8}$/;

test('train accepts a file as the rule of a later update', async () => {
  const out = join(folder, 'rows.jsonl');
  const args = ['--environment', 'bandit', '--steps', '3', '--at', `1:rule=${rule}`, '--out', out];
  const { code, err } = await turnwise(['train', ...args]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const rows = readFileSync(out, 'utf8').trim().split('\n');
  const rules = rows.map((row) => JSON.parse(row)).flatMap((row) => ('rule' in row ? [row.rule] : []));
  expect(rules).toEqual([expect.not.stringMatching(LABEL), expect.stringMatching(LABEL), expect.stringMatching(LABEL)]);
});

test('compare trains a rule file together with built-in rules, and stores the text of the file', async () => {
  const json = join(folder, 'found.json');
  const args = ['--environment', 'bandit', '--steps', '2', '--seeds', '1', '--json', json];
  const { code, err } = await turnwise(['compare', '--rules', `mt-grpo,${rule}:size=0.5`, ...args]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  const results = JSON.parse(readFileSync(json, 'utf8'));
  expect(results.arms).toHaveLength(2);
  expect(JSON.stringify(results.arms[1])).toContain('return [size] * len(group.turns)');
  expect(results.runs).toHaveLength(2);
});
