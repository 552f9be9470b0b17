import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { comparisonJson } from '../../../../src/cli/compare/comparisonFile.ts';
import { startFile, writeAtomically } from '../../../../src/cli/compare/starts.ts';
import { codeOf } from '../../../../src/cli/framework/installation.ts';
import { adoptRuns, adoptStarts, runsRecorded, sampleOf } from '../../../../src/cli/lab/labCheck.ts';
import {
  differingFolders,
  firstDifference,
  labFiles,
  readLab,
  rejectDifferentCode,
  resultDigest,
  runFile,
  writeRun,
} from '../../../../src/cli/lab/labFolder.ts';
import { LabProgress, runProcesses, sharesOf, startsFolder } from '../../../../src/cli/lab/labRun.ts';
import { readResult, resultTexts } from '../../../../src/cli/lab/resultFiles.ts';
import { resultsOf } from '../../../../src/cli/lab/results.ts';
import {
  compareLine,
  type Prepared,
  prepared,
  secondsLeft,
  startOf,
  type Unit,
  workOf,
} from '../../../../src/cli/lab/work.ts';
import { CLAIM_FORMAT } from '../../../../src/experiments/claims/claimResult.ts';
import { findClaims } from '../../../../src/experiments/claims/readClaims.ts';
import type { Switch } from '../../../../src/experiments/compare/arms.ts';
import { COMPARED } from '../../../../src/experiments/compare/comparedEnvironments.ts';
import type { WarmStart } from '../../../../src/experiments/compare/comparison.ts';
import { type ArmRun, type Provenance, settingsOf } from '../../../../src/experiments/compare/findings.ts';
import { expectRejected, paperTerminal, turnwise } from '../cliTerminal.ts';
import { allRuns, experimentOf, fileOf, searchRun } from './fakeFindings.ts';

const root = mkdtempSync(join(tmpdir(), 'turnwise-lab-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
function newFolder(): string {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  return folder;
}

const shortcut = experimentOf('t1');
const every = allRuns(shortcut);
/** Writes runs of an experiment like `lab run`. */
const writeRuns = (folder: string, experiment: Prepared, runs: readonly ArmRun[]) => {
  const file = fileOf(experiment, runs);
  for (const run of runs) writeRun(folder, experiment.key, file, run);
};
const count = (units: readonly Unit[]) => units.reduce((sum, { arms }) => sum + arms.length, 0);
const all = (selector: string) =>
  findClaims(selector).flatMap((claim) => claim.experiments.map((experiment) => prepared(claim, experiment)));

describe('comparison of two runs of one arm and seed', () => {
  const run = searchRun(shortcut, 'mt-grpo', 3, [0.9, 0.8, 0.7]);

  test('two runs are equal regardless of their times and of metrics that only one of them has', () => {
    const changed = {
      ...run,
      series: { ...run.series, stepMs: [9], outdated: [1] },
      heldOut: { ...run.heldOut, later: 1 },
    };
    expect(firstDifference(run, changed)).toBeUndefined();
    expect(resultDigest(run, ['toolUse'])).toBe(resultDigest({ ...run, series: changed.series }, ['toolUse']));
  });

  test('a run is equal to itself after it is written and read', () => {
    const without = { ...run, heldOut: { ...run.heldOut, answerGivenRetrieval: NaN } };
    const again = JSON.parse(JSON.stringify(without));
    expect(again.heldOut.answerGivenRetrieval).toBeNull();
    expect(firstDifference(without, again)).toBeUndefined();
    expect(resultDigest(without, ['toolUse'])).toBe(resultDigest(again, ['toolUse']));
  });

  test.each([
    ['a held-out measurement', { heldOut: { ...run.heldOut, answer: 0.5 } }, /measured answer 0\.70\d+, and 0\.5/],
    [
      'a value of a curve',
      { series: { ...run.series, answer: run.series.answer.with(7, 1) } },
      /answer at update 7 0\.80\d+, and 1/,
    ],
    [
      'the length of a curve',
      { series: { ...run.series, answer: run.series.answer.slice(0, 9) } },
      /answer at update 9 0\.80\d+, and undefined/,
    ],
    ['their initial policy', { digest: 'x' }, /they started from different policies/],
  ])('two runs differ in %s', (_, parts, expected) => {
    expect(firstDifference(run, { ...run, ...parts })).toMatch(expected);
    if (!('digest' in parts))
      expect(resultDigest(run, ['answer'])).not.toBe(resultDigest({ ...run, ...parts }, ['answer']));
  });
});

describe('a folder of runs', () => {
  const write = (folder: string, name: string, runs = every) => {
    mkdirSync(join(folder, shortcut.key), { recursive: true });
    writeFileSync(join(folder, shortcut.key, name), comparisonJson(fileOf(shortcut, runs)));
  };
  const read = (folder: string) => readLab(folder, shortcut.key, shortcut.plan);

  test('a folder of runs has a file for every run, and also accepts files of `compare`', () => {
    const folder = newFolder();
    writeRuns(
      folder,
      shortcut,
      every.filter(({ seed }) => seed < 3),
    );
    expect(labFiles(folder, shortcut.key)).toHaveLength(12);
    expect(runFile(folder, shortcut.key, every[1])).toBe(join(folder, shortcut.key, 'grpo-mr.01.json'));
    write(
      folder,
      'from-compare.json',
      every.filter(({ seed }) => seed > 1),
    );
    writeFileSync(join(folder, shortcut.key, 'grpo-or.03.json.7.part'), 'unfinished');
    const { runs, base } = read(folder);
    expect(runs).toHaveLength(120);
    // A warm start that several files have counts once.
    expect(base).toHaveLength(2);
  });

  test('different arms have different file names', () => {
    const names = all('all').flatMap(({ key, arms }) => arms.map((arm) => runFile('', key, { arm, seed: 1 })));
    const arms = all('all').flatMap(({ key, arms }) => arms.map(({ name }) => `${key} ${name}`));
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(new Set(arms).size);
  });

  test('two different runs of one seed are rejected with their difference', () => {
    const folder = newFolder();
    writeRuns(folder, shortcut, every.slice(0, 24));
    write(folder, 'other.json', [searchRun(shortcut, 'mt-grpo', 4, [0.99, 0.7, 0.61])]);
    expect(() => read(folder)).toThrow(/have different runs of mt-grpo, seed 4: measured answer 0\.6\d+, and 0\.6/);
  });

  test('runs with other settings are rejected with their difference', () => {
    const folder = newFolder();
    writeRuns(folder, shortcut, every.slice(0, 1));
    const plan = { ...shortcut.plan, controls: { ...shortcut.plan.controls, learningRate: 1e-4 } };
    expect(() => readLab(folder, shortcut.key, plan)).toThrow('controls.learningRate 0.0003, not 0.0001');
  });

  test('runs of other code are rejected with the folders that differ', () => {
    const code = { ...codeOf('search'), 'src/policy': 'other', shaders: 'other' };
    const old = { version: '0.1.0', device: 'made up', code };
    const runs = every.map((run, index) => (index < 7 ? { ...run, provenance: old } : run));
    const checkCode = (of: typeof every) => () => rejectDifferentCode(shortcut.key, fileOf(shortcut, of), 't1');
    expect(checkCode(every)).not.toThrow();
    expect(checkCode(runs)).toThrow('7 runs of other code (shaders, src/policy differ). `lab check t1`');
    const { provenance: _, ...unknown } = every[0];
    expect(checkCode([unknown])).toThrow('1 runs without a record of their code');
    expect(differingFolders(code, codeOf('search'))).toEqual(['shaders', 'src/policy']);
  });
});

describe('the work of a lab', () => {
  test('primary tests have ten seeds first, then twenty, then other tests have ten; timing runs are excluded', () => {
    const units = workOf(newFolder(), all('all'));
    expect(units.map(({ round }) => round)).toEqual(units.map(({ round }) => round).sort());
    const seeds = (round: number) => [...new Set(units.filter((unit) => unit.round === round).map(({ seed }) => seed))];
    const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
    expect([0, 1, 2, 3].map((round) => seeds(round).sort((a, b) => a - b))).toEqual([
      ...[upTo(1, 10), upTo(11, 20), upTo(1, 10), []],
    ]);
    expect(units.some(({ prepared: { experiment } }) => experiment.idle)).toBe(false);
    const idle = workOf(newFolder(), all('m6'), { idle: true });
    expect([idle.length > 0, idle.every(({ round }) => round === 3)]).toEqual([true, true]);
  });

  test('only the arms of a primary test have more than ten seeds', () => {
    const [t3] = all('t3');
    const seedsOf = (name: string) => t3.runs.filter(({ arm }) => arm.name === name).length;
    expect(t3.arms.map(({ name }) => [name, seedsOf(name)])).toEqual([
      ['grpo-or', 10],
      ['grpo-mr', 20],
      ['mt-grpo', 20],
      ['ppo-or', 10],
      ['ppo-mr', 10],
      ['mt-ppo', 10],
    ]);
    const [t12] = all('t12');
    expect([t12.arms.length, t12.runs.length]).toEqual([2, 30]);
    expect(all('t9').map(({ seeds }) => seeds.length)).toEqual([20, 20, 10]);
  });

  test('a run that several claims use counts once', () => {
    const folder = newFolder();
    const missing = (selector: string) => count(workOf(folder, all(selector)));
    expect([missing('t1'), missing('t2'), missing('t3')]).toEqual([130, 130, 140]);
    expect(count(workOf(folder, [...all('t1'), ...all('t2'), ...all('t3')]))).toBe(150);
    writeRuns(folder, shortcut, every);
    expect(missing('t1')).toBe(60);
    // The estimate is the expected duration if no run has a recorded duration.
    expect(workOf(folder, all('t1')).map(({ seconds }) => seconds)).toEqual(
      Array(10).fill(120 * COMPARED.search.seconds),
    );
    const timed = newFolder();
    const run = { ...every[0], provenance: { version: '', device: 'made up', code: {}, seconds: 7 } };
    writeRuns(timed, shortcut, [run]);
    expect(workOf(timed, [shortcut])[0].seconds).toBe(7);
  });

  test.each([1, 3, 8])('runs are distributed over %s shares, with each run in one share', (of) => {
    const folder = newFolder();
    const requested = all('all');
    const names = (shard?: { part: number; of: number }) =>
      workOf(folder, requested, { shard }).flatMap(({ prepared: { key }, arms, seed }) =>
        arms.map((arm) => `${key} ${arm.name} ${seed}`),
      );
    const shares = sharesOf(of).map(names);
    expect(shares.flat().sort()).toEqual(names().sort());
    expect(new Set(shares.flat()).size).toBe(shares.flat().length);
    expect(sharesOf(of, { part: 2, of: 3 })).toEqual(
      Array.from({ length: of }, (_, index) => ({ part: of + index + 1, of: 3 * of })),
    );
  });

  test('the estimated time includes all runs and each missing warm start', () => {
    const units = workOf(newFolder(), [shortcut]);
    const starts = [...new Set(units.map(startOf))];
    expect(starts).toHaveLength(20);
    const { startSeconds } = COMPARED.search;
    expect(secondsLeft(units, () => true)).toBeCloseTo(70 * 120 * COMPARED.search.seconds);
    expect(secondsLeft(units, (start) => start === starts[3])).toBeCloseTo(
      70 * 120 * COMPARED.search.seconds + 19 * startSeconds,
    );
  });

  test('the time left is estimated from the duration of finished runs', () => {
    const messages: string[] = [];
    const units = workOf(newFolder(), [experimentOf('t4', 0, 1), experimentOf('own-critics', 0, 1)]);
    expect(count(units)).toBe(10);
    const rest = 4 * 80 * COMPARED.repo.seconds;
    const progress = new LabProgress(
      { err: (text) => messages.push(text), interactive: false, columns: 80 },
      units,
      100,
    );
    expect(progress.seconds).toBeCloseTo(100 + 6 * 120 * COMPARED.search.seconds + rest);
    progress.started(60);
    progress.finished(units[0].prepared.key, 'mt-ppo, seed 1', 10);
    expect(progress.seconds).toBeCloseTo(40 + 5 * 10 + rest);
    expect(messages).toEqual([
      expect.stringMatching(
        /^mt-ppo, seed 1 took 10 s of processor time; about \d+ min \d+ s .* left \(1 of 10 runs\)\n$/,
      ),
    ]);
  });

  test('runs to check are sampled evenly, with switched runs last', () => {
    const [first, second] = [{ key: 'one' }, { key: 'other' }];
    const plain = every.map((run) => ({ prepared: first, run }));
    expect(sampleOf(plain.slice(0, 60), 3).map(({ run }) => [run.arm.name, run.seed])).toEqual([
      ['grpo-or', 1],
      ['mt-grpo', 4],
      ['ppo-mr', 7],
    ]);
    expect(sampleOf(plain.slice(0, 2), 9)).toHaveLength(2);
    // Each file has a separate sample, because earlier code is accepted per file.
    const change = { from: 'grpo-or', to: 'mt-grpo', step: 60 } as unknown as Switch;
    const switched = every.map((run) => ({ prepared: second, run: { ...run, arm: { ...run.arm, switch: change } } }));
    expect(sampleOf([...switched, ...plain], 1)).toEqual([switched[0], plain[0]]);
    const mixed = [switched[0], ...plain.slice(0, 2).map((of) => ({ ...of, prepared: second }))];
    expect(sampleOf(mixed, 3)).toEqual([mixed[1], mixed[2], mixed[0]]);
  });
});

describe('warm starts of earlier code', () => {
  const EARLIER = { ...codeOf('search'), 'src/training': 'earlier' };
  const startOfSeed = (folder: string, seed: number, code?: Record<string, string>) =>
    startFile(startsFolder(folder), shortcut.plan, settingsOf(shortcut.plan, seed), code);

  /** Writes a run with earlier code and its warm start for each seed. */
  function earlierFolder(seeds: readonly number[]): string {
    const folder = newFolder();
    const runs = every.filter(({ arm, seed }) => arm.name === 'mt-grpo' && seeds.includes(seed));
    const provenance = (run: ArmRun) => ({ ...run.provenance, code: EARLIER }) as NonNullable<ArmRun['provenance']>;
    writeRuns(
      folder,
      shortcut,
      runs.map((run) => ({ ...run, provenance: provenance(run) })),
    );
    for (const seed of seeds) writeAtomically(startOfSeed(folder, seed, EARLIER), `start ${seed}`);
    return folder;
  }

  test('warm starts of earlier code are accepted if the first of them has the same bits again', async () => {
    const folder = earlierFolder([2, 3, 4]);
    const trained: number[] = [];
    const train = async (seed: number) => {
      trained.push(seed);
      return { digest: `world ${seed - 1}` } as WarmStart;
    };
    expect(await adoptStarts(shortcut, folder, train)).toBe(2);
    expect(trained).toEqual([2]);
    expect([3, 4].map((seed) => readFileSync(startOfSeed(folder, seed), 'utf8'))).toEqual(['start 3', 'start 4']);
    expect([3, 4].some((seed) => existsSync(startOfSeed(folder, seed, EARLIER)))).toBe(false);
  });

  test('accepted runs of earlier code have the digests of the current code, and keep the commit that made them', async () => {
    const folder = newFolder();
    const [run] = every.filter(({ arm }) => arm.name === 'mt-grpo');
    const provenance = { version: '0.1.0', device: 'exact/1', code: EARLIER, commit: '0123456789ab' };
    writeRuns(folder, shortcut, [{ ...run, provenance }]);
    const { terminal } = paperTerminal();
    const code = codeOf('search');
    expect(await adoptRuns(shortcut, folder, 'exact/1', code, 2, '0.2.0', terminal)).toBe(1);
    const [adopted] = readLab(folder, shortcut.key, shortcut.plan).runs;
    expect(adopted.provenance).toEqual({ ...provenance, version: '0.2.0', code, again: 2 });
  });

  test('warm starts of earlier code are rejected if the first of them has other bits now', async () => {
    const folder = earlierFolder([2, 3]);
    await expect(adoptStarts(shortcut, folder, async () => ({ digest: 'other' }) as WarmStart)).rejects.toThrow(
      /the warm start .*warmSeed-1.* has other bits with this code/,
    );
    expect(existsSync(startOfSeed(folder, 3))).toBe(false);
  });
});

describe('an experiment', () => {
  test('an experiment has an equivalent command line of compare', () => {
    const [m7] = all('m7');
    expect(compareLine(m7)).toBe(
      'compare --environment repair --maxTurns 3 --samples 8 --iterations 5 --strata 8 --rules murphy-mars,murphy-mars:inter=2/1 --steps 50 --seeds 20 --worlds 20',
    );
    expect(compareLine(experimentOf('m1', 1))).toContain(
      ' --samples 8 --iterations 5 --strata 8 --rules murphy-mars,grpo-mt,',
    );
    expect(compareLine(experimentOf('own-toggle', 1))).toContain(
      '--switch 60,100 --habit 40 --steps 60 --seeds 10 --worlds 20',
    );
  });

  test("the name of an experiment's file contains all settings that its runs share", () => {
    expect(all('t4').map(({ key }) => key)).toEqual(['search-open-heldOut-2048-120']);
    // Several claims use the same runs.
    expect(new Set([...all('m1'), ...all('v1')].map(({ key }) => key))).toEqual(
      new Set(['repair-iterations-5-samples-8-strata-8-50', 'repair-iterations-5-maxTurns-1-samples-8-strata-8-50']),
    );
    expect(all('m9').map(({ key }) => key)).toEqual(['repair-budget-8-50', 'repair-budget-8-reflection-written-50']);
    const plans = new Map<string, string>();
    for (const { key, plan } of all('all')) {
      const text = JSON.stringify(plan);
      expect(plans.get(key) ?? text, key).toBe(text);
      plans.set(key, text);
    }
  });
});

describe('lab', () => {
  test.each([
    ['lab', 'WHAT is missing'],
    ['lab rum t1', 'WHAT: "rum" is not one of list, plan, run, check, report; did you mean run?'],
    ['lab list t99', '"t99" is neither a claim nor a paper'],
    ['lab run t1 --shard 9/8', '--shard: "9/8" is not two whole numbers, the first from 1 to the second'],
    [
      'lab check own-absent --seed 99 --folder nowhere',
      'there is no run of seed 99 to repeat, neither in nowhere nor in docs/reference/lab',
    ],
    ['lab run t1 --processes 2 --idle', '--idle: times are measured by one process'],
  ])('%s is rejected with exit code 2', async (line, message) => {
    await expectRejected(line, message);
  });

  test('lab list prints the planned runs and creates no file', async () => {
    const folder = newFolder();
    const { code, out } = await turnwise(`lab list t --folder ${folder}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^t1 +130 runs +\d h \d+ min +With a reward for the outcome only/m);
    expect((await turnwise(`lab list r7 --folder ${folder}`)).out).toMatch(/^r7 +20 runs/m);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('lab plan prints the work of each round with its warm starts and hours', async () => {
    const folder = newFolder();
    const { code, out } = await turnwise(`lab plan t4 r7 --folder ${folder}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^primary tests, seeds 1 to 10 +search +20 +9 +0\.\d/m);
    expect(out).toMatch(/^primary tests, seeds 1 to 10 +repo +10 +9 +\d\.\d/m);
    expect(out).toMatch(/^primary tests, seeds 11 to 20 +search +20 +10/m);
    expect(out).toMatch(/^other tests, seeds 1 to 10 +search +40 +0/m);
    expect(out).toMatch(/^100 runs, about \d\.\d hours$/m);
    const hours = (text: string) => Number(/about (\d+\.\d) hours/.exec(text)?.[1]);
    const half = await turnwise(`lab plan t4 r7 --processes 2 --folder ${folder}`);
    expect(hours(half.out)).toBeCloseTo(hours(out) / 2, 0);
    expect(half.out).toContain('hours, 2 processes');
  });

  test('lab run rejects runs of other code before it opens a device', async () => {
    const folder = newFolder();
    const { provenance: _, ...unknown } = every[0];
    writeRuns(folder, shortcut, [unknown]);
    await expectRejected(`lab run t1 --folder ${folder}`, `${shortcut.key} has 1 runs without a record of their code`);
  });

  test('lab run rejects runs of another engine before it trains a run', async () => {
    const folder = newFolder();
    writeRuns(folder, shortcut, every.slice(1, 4));
    await expectRejected(
      `lab run t1 --folder ${folder}`,
      `${shortcut.key} has 3 runs of made up, and --engine is exact`,
    );
  });

  // The superuser can write to every folder except virtual ones.
  test.runIf(existsSync('/proc/self'))('lab run rejects a folder that cannot be written before it trains', async () => {
    const { code, err } = await turnwise('lab run t1 --folder /proc');
    expect([code, err]).toEqual([2, expect.stringContaining('--folder: /proc cannot be written (')]);
  });

  test('lab run trains no run if all runs are done', async () => {
    const folder = newFolder();
    writeRuns(folder, shortcut, every);
    const open = experimentOf('t1', 1);
    writeRuns(folder, open, allRuns(open));
    const { code, err } = await turnwise(`lab run t1 t2 --folder ${folder}`);
    expect([code, err]).toEqual([0, expect.stringContaining('all runs are done')]);
  });

  test('lab report prints a conclusion per test, and writes pages with table, figure and command lines', async () => {
    const folder = newFolder();
    const docs = join(folder, 'docs');
    writeRuns(folder, shortcut, every.map(varyRun));
    const { code, out } = await turnwise(`lab report --folder ${folder} --docs ${docs}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^t1 +in part +“shortcut”: holds; “open”: not run/m);
    expect(out).toMatch(/^r7 +not run yet +not run/m);
    const page = readFileSync(join(docs, 't1.md'), 'utf8');
    for (const text of [
      'Conclusion: **in part**. The primary test, “GRPO-OR: tool use ends below where it began”, ends “holds”: +',
      ' other tests do not have all their seeds yet.',
      '| **GRPO-OR: tool use ends below where it began** | holds | 20 | +',
      '![Every test: the seeds, their mean and its 95 % interval](t1-shortcut.svg)',
      '| GRPO-OR takes the shortcut: tool use ends below 0.05, right answers to new questions below 0.15 | holds | 10 of 10 seeds (95 % interval .69 to 1.00) |',
      '    npm run turnwise -- lab check t1 --seed 1',
      'Not run: 60 runs, an estimate of 28 minutes on one process',
      'Engine: made up; commit 0123456789ab.',
      '## What differs from the paper',
    ]) {
      expect(page).toContain(text);
    }
    expect(readFileSync(join(docs, 't1-shortcut.svg'), 'utf8')).toContain('seed 20: ');
    const result = readResult(docs, 't1');
    expect(result?.experiments[0].runs).toHaveLength(70);
    const record = result?.experiments[0].runs.find(({ arm, seed }) => arm === 'grpo-or' && seed === 20);
    expect(record).toMatchObject({ world: 19, device: 'made up', commit: '0123456789ab' });
    expect(Object.keys(record?.values ?? {})).toEqual(
      expect.arrayContaining(['start:toolUse', 'end:toolUse', 'measured:answer']),
    );
    expect(record?.values?.['end:toolUse']).toBeCloseTo(0.012, 6);
    expect(existsSync(join(docs, 't1-open.svg'))).toBe(false);
    // A report of one claim does not change other claims, even if the folder lacks their runs.
    const before = new Map(readdirSync(docs).map((name) => [name, readFileSync(join(docs, name), 'utf8')]));
    expect((await turnwise(`lab report t4 --folder ${newFolder()} --docs ${docs}`)).code).toBe(0);
    const after = new Map(readdirSync(docs).map((name) => [name, readFileSync(join(docs, name), 'utf8')]));
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    const changed = [...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name);
    expect(changed.filter((name) => !/^(t4|README|t\.svg)\b/.test(name))).toEqual([]);
  });

  test('the table of an experiment has optional measurements that a test uses, and times only if it needs an idle machine', async () => {
    const folder = newFolder();
    const bare = (id: string, index: number) => {
      const experiment = experimentOf(id, index);
      const { provenance, ...run } = searchRun(shortcut, 'mt-grpo', 1, [0, 0, 0]);
      const { arms, plan } = experiment;
      const code = codeOf(plan.environment);
      const heldOut = { iter1: 0.5, iter3: 0.5, iter5: 0.5, 'iter1:hard': 0.5, 'iter3:hard': 0.5 };
      writeRuns(folder, experiment, [
        { ...run, arm: arms[0], heldOut, provenance: { ...provenance, code } as Provenance },
      ]);
      return resultsOf(findClaims(id), folder)[0].experiments[index].table?.head;
    };
    const [attempts, difficulty] = ['Iter-5, %', 'Iter-3, hard, %'];
    expect(bare('m1', 0)).not.toEqual(expect.arrayContaining([attempts]));
    const tested = bare('m1', 1);
    expect(tested).toEqual(expect.arrayContaining([attempts, difficulty]));
    expect(tested).not.toEqual(expect.arrayContaining(['Iter-1, hard, %']));
    expect(tested).not.toEqual(expect.arrayContaining(['ms an update']));
    expect(bare('m6', 0)).toEqual(expect.arrayContaining(['ms an update']));
  });

  test('lab report removes only its own figures, and rejects an unrelated index', async () => {
    const folder = newFolder();
    const docs = join(folder, 'docs');
    mkdirSync(docs);
    for (const name of ['package.json', 'notes.md', 't1-removed.svg', 'm.svg', 'other-t1.svg'])
      writeFileSync(join(docs, name), name);
    const line = `lab report --folder ${folder} --docs ${docs}`;
    expect((await turnwise(line)).code).toBe(0);
    const left = ['package.json', 'notes.md', 't1-removed.svg', 'm.svg', 'other-t1.svg'].filter((name) =>
      existsSync(join(docs, name)),
    );
    expect(left).toEqual(['package.json', 'notes.md', 'other-t1.svg']);
    expect((await turnwise(line)).code).toBe(0);
    writeFileSync(join(docs, 'README.md'), '# A project\n');
    const { code, err } = await turnwise(line);
    expect([code, err]).toEqual([2, expect.stringContaining('README.md is not an index of claims')]);
    expect(readFileSync(join(docs, 'README.md'), 'utf8')).toBe('# A project\n');
  });

  test('lab report replaces a result on a page only if the folder has at least as many runs', async () => {
    const [folder, less] = [newFolder(), newFolder()];
    const docs = join(folder, 'docs');
    const write = (where: string, runs: typeof every) => writeRuns(where, shortcut, runs);
    write(folder, every);
    await turnwise(`lab report --folder ${folder} --docs ${docs}`);
    const before = readFileSync(join(docs, 't1.json'), 'utf8');
    write(
      less,
      every.filter(({ seed }) => seed < 3),
    );
    const { err } = await turnwise(`lab report t1 --folder ${less} --docs ${docs}`);
    expect(err).toContain('t1, shortcut: ');
    expect(err).toContain('has more runs, so its result does not change');
    expect(readFileSync(join(docs, 't1.json'), 'utf8')).toBe(before);
    const changed = every.map((run) => ({ ...run, heldOut: { ...run.heldOut, answer: 0.5 } }));
    write(less, changed);
    const repeated = await turnwise(`lab report t1 --folder ${less} --docs ${docs}`);
    expect(repeated.err).not.toContain('its result does not change');
    expect(readFileSync(join(docs, 't1.json'), 'utf8')).not.toBe(before);
  });

  test('the page of a claim without an experiment states that it cannot be run yet, and the reason', () => {
    const [r7] = findClaims('r7');
    const claim = { ...r7, experiments: [], missing: 'It is not implemented.' };
    const texts = resultTexts([[claim, { ...CLAIM_FORMAT, id: 'r7', experiments: [] }]]);
    expect(texts.get('README.md')).toMatch(/\| RTMC \| \[R7\]\(r7\.md\) .*\| not run yet \| +\| 0 \|/);
    expect(texts.get('r7.md')).toContain('It is not implemented.');
  });

  test('a claim has a conclusion when all its seeds are done, and an interim analysis before', async () => {
    const folder = newFolder();
    const docs = join(folder, 'docs');
    const reportClaim = async () => (await turnwise(`lab report t1 --folder ${folder} --docs ${docs}`)).out;
    writeRuns(folder, shortcut, every.filter(({ seed }) => seed < 10).map(varyRun));
    expect(await reportClaim()).toMatch(/^t1 +open, 9 of 20 seeds +“shortcut”: open; “open”: not run/m);
    writeRuns(folder, shortcut, every.filter(({ seed }) => seed === 10 || seed === 11).map(varyRun));
    expect(await reportClaim()).toMatch(/^t1 +open, 11 of 20 seeds +“shortcut”: holds 3, open 1; “open”: not run/m);
    expect(readFileSync(join(docs, 't1.md'), 'utf8')).toContain('with the interim analysis “holds”: +');
    expect(readFileSync(join(docs, 'README.md'), 'utf8')).toMatch(/\[T1\].*\| open \| .* points .*\| 11 of 20 \|/);
    writeRuns(folder, shortcut, every.map(varyRun));
    expect(await reportClaim()).toMatch(/^t1 +in part +“shortcut”: holds; “open”: not run/m);
  });

  test('lab check lists the recorded runs', async () => {
    const [folder, docs] = [newFolder(), newFolder()];
    writeRuns(folder, shortcut, every.slice(0, 12));
    await turnwise(`lab report t1 --folder ${folder} --docs ${docs}`);
    const names = (runs: readonly { arm: string; seed: number }[]) =>
      runs.map(({ arm, seed }) => `${arm} ${seed}`).sort();
    expect(names(runsRecorded(docs, [shortcut]))).toEqual(
      names(every.slice(0, 12).map(({ arm, seed }) => ({ arm: arm.name, seed }))),
    );
  });

  test('lab report fills references of texts from its results, and rejects references without a result', async () => {
    const folder = newFolder();
    const texts = newFolder();
    writeRuns(folder, shortcut, every.map(varyRun));
    const file = join(texts, 'a.md');
    const tests =
      '[?](lab/t1.md "shortcut, test 1"), [?](lab:t1 "shortcut, test 1, effect"), [?](lab:t1 "open, test 2")';
    writeFileSync(
      file,
      `The code \`y=[v\` has one bracket.\nIt ends at [?](lab/t1.md "shortcut, grpo-or, end:toolUse"): [?](lab:t1 "conclusion").\n${tests}.\n`,
    );
    const line = `lab report --folder ${folder} --docs ${join(folder, 'docs')} --texts ${texts}`;
    const { code, err } = await turnwise(line);
    expect([code, err]).toEqual([0, expect.stringContaining('a.md: results updated')]);
    expect(readFileSync(file, 'utf8')).toBe(
      'The code `y=[v` has one bracket.\nIt ends at [.01](lab/t1.md "shortcut, grpo-or, end:toolUse"): [in part](lab:t1 "conclusion").\n' +
        '[holds](lab/t1.md "shortcut, test 1"), [+52.9 points [+51.5, +54.3]](lab:t1 "shortcut, test 1, effect"), [not run](lab:t1 "open, test 2").\n',
    );
    expect((await turnwise(line)).err).not.toContain('results updated');
    for (const title of [
      '2 hops, mt-ppo, measured:answer',
      'shortcut, test 9',
      'shortcut, test 1, seeds',
      'closed, test 1',
    ]) {
      writeFileSync(join(texts, 'b.md'), `[?](lab/t1.md "${title}")`);
      const rejected = await turnwise(line);
      expect([title, rejected.code, rejected.err]).toEqual([
        title,
        2,
        expect.stringMatching(/b\.md: .*has no such result/),
      ]);
    }
    expect((await turnwise(`lab report --texts ${texts}`)).err).toContain('--texts: needs --docs, the folder of');
  });
});

/** Returns the run with other values per seed. Without variance, no test is decided. */
function varyRun(run: ArmRun): ArmRun {
  const toolUse = run.series.toolUse.with(0, 0.5 + (run.seed % 5) / 50);
  const heldOut = { ...run.heldOut, answer: (run.heldOut.answer ?? 0) + (run.seed % 3) / 500 };
  return { ...run, heldOut, series: { ...run.series, toolUse } };
}

describe('several processes of lab run', () => {
  const program = (code: string) => () =>
    spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'ignore', 'pipe'] });

  test('processes of lab run pass on their output with their share, and fail if one of them fails', async () => {
    const { written, terminal } = paperTerminal();
    const done = await runProcesses(sharesOf(2), () => [], terminal, program("console.error('a run')"));
    expect([done, written.err.split('\n').sort()]).toEqual([0, ['', '1/2: a run', '2/2: a run']]);
    expect(await runProcesses(sharesOf(2), () => [], terminal, program('process.exit(3)'))).toBe(3);
  });

  test('processes of lab run are stopped together', async () => {
    const abort = new AbortController();
    const { terminal } = paperTerminal({ signal: abort.signal });
    const waiting =
      "process.on('SIGINT', () => process.exit(130)); console.error('ready'); setInterval(() => {}, 1000)";
    const running = runProcesses(
      sharesOf(2),
      () => [],
      { ...terminal, err: (text) => text.startsWith('2/2') && abort.abort() },
      program(waiting),
    );
    expect(await running).toBe(130);
  });
});
