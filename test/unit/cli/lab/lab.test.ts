import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { comparisonJson } from '../../../../src/cli/compare/comparisonFile.ts';
import { codeOf } from '../../../../src/cli/framework/code.ts';
import { differingFolders } from '../../../../src/cli/framework/codeDifference.ts';
import { sampleOf } from '../../../../src/cli/lab/labCheck.ts';
import { labFile, readLab, refuseOtherCode } from '../../../../src/cli/lab/labFolder.ts';
import { LabProgress } from '../../../../src/cli/lab/labProgress.ts';
import { compareLine, type Prepared, prepared } from '../../../../src/cli/lab/prepared.ts';
import { readResult, resultTexts } from '../../../../src/cli/lab/resultFiles.ts';
import { firstDifference, resultDigest } from '../../../../src/cli/lab/sameRun.ts';
import { workOf } from '../../../../src/cli/lab/work.ts';
import { CLAIM_FORMAT } from '../../../../src/experiments/claims/claimResult.ts';
import { claimsOfWord } from '../../../../src/experiments/claims/claims.ts';
import type { ArmRun, Switch } from '../../../../src/experiments/compare/findings.ts';
import { turnwise } from '../cliTerminal.ts';
import { allRuns, experimentOf, fileOf, searchRun } from './madeUp.ts';

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
const all = (word: string) =>
  claimsOfWord(word).flatMap((claim) => claim.experiments.map((one) => prepared(claim, one)));

describe('two runs of one arm and seed', () => {
  const run = searchRun(shortcut, 'mt-grpo', 3, [0.9, 0.8, 0.7]);

  test('are the same whatever the clock says, and whatever only one of them measured', () => {
    const other = {
      ...run,
      series: { ...run.series, stepMs: [9], outdated: [1] },
      heldOut: { ...run.heldOut, later: 1 },
    };
    expect(firstDifference(run, other)).toBeUndefined();
    expect(resultDigest(run, ['toolUse'])).toBe(resultDigest({ ...run, series: other.series }, ['toolUse']));
  });

  test('are the same before one was written and after it was read', () => {
    const without = { ...run, heldOut: { ...run.heldOut, answerGivenRetrieval: NaN } };
    const again = JSON.parse(JSON.stringify(without));
    expect(again.heldOut.answerGivenRetrieval).toBeNull();
    expect(firstDifference(without, again)).toBeUndefined();
    expect(resultDigest(without, ['toolUse'])).toBe(resultDigest(again, ['toolUse']));
  });

  test.each([
    ['measured', { heldOut: { ...run.heldOut, answer: 0.5 } }, /measured answer 0\.70\d+, and 0\.5/],
    [
      'a curve',
      { series: { ...run.series, answer: run.series.answer.with(7, 1) } },
      /answer at update 7 0\.80\d+, and 1/,
    ],
    [
      'a shorter curve',
      { series: { ...run.series, answer: run.series.answer.slice(0, 9) } },
      /answer at update 9 0\.80\d+, and undefined/,
    ],
    ['where it began', { digest: 'x' }, /they began with different policies/],
  ])('differ in %s', (_, parts, told) => {
    expect(firstDifference(run, { ...run, ...parts })).toMatch(told);
    if (!('digest' in parts))
      expect(resultDigest(run, ['answer'])).not.toBe(resultDigest({ ...run, ...parts }, ['answer']));
  });
});

describe('a folder of runs', () => {
  const write = (folder: string, name: string, runs = every) =>
    writeFileSync(join(folder, name), comparisonJson(fileOf(shortcut, runs)));
  const read = (folder: string) => readLab(folder, shortcut.key, shortcut.plan);

  test('joins the files of a plan, and leaves those of others alone', () => {
    const folder = newFolder();
    const half = (part: number) => every.filter(({ seed }) => seed % 2 === part);
    write(folder, 'search-shortcut-120.1of2.json', half(1));
    write(folder, 'search-shortcut-120.2of2.json', [...half(0), ...half(1).slice(0, 3)]);
    writeFileSync(join(folder, 'search-shortcut-1200.json'), 'another plan');
    writeFileSync(join(folder, 'search-shortcut-120.json.part'), 'unfinished');
    const { runs, base } = read(folder);
    expect(runs).toHaveLength(60);
    // A warm start that two files have measured counts once.
    expect(base).toHaveLength(2);
  });

  test('with two runs of one seed is refused, with the difference', () => {
    const folder = newFolder();
    write(folder, 'search-shortcut-120.json');
    write(folder, 'search-shortcut-120.2of2.json', [searchRun(shortcut, 'mt-grpo', 4, [0.99, 0.7, 0.61])]);
    expect(() => read(folder)).toThrow(/have different runs of mt-grpo, seed 4: measured answer 0\.6\d+, and 0\.6/);
  });

  test('of other settings is refused, with the difference', () => {
    const folder = newFolder();
    write(folder, 'search-shortcut-120.json');
    const plan = { ...shortcut.plan, controls: { ...shortcut.plan.controls, learningRate: 1e-4 } };
    expect(() => readLab(folder, shortcut.key, plan)).toThrow('controls.learningRate 0.0003, not 0.0001');
  });

  test('of other code is refused, with the folders that differ', () => {
    const code = { ...codeOf('search'), 'src/policy': 'other', shaders: 'other' };
    const old = { version: '0.1.0', device: 'made up', code };
    const runs = every.map((run, index) => (index < 7 ? { ...run, made: old } : run));
    const refused = (of: typeof every) => () => refuseOtherCode(shortcut.key, fileOf(shortcut, of), 't1');
    expect(refused(every)).not.toThrow();
    expect(refused(runs)).toThrow('7 runs of other code (shaders, src/policy differ). `lab check t1`');
    const { made: _, ...unknown } = every[0];
    expect(refused([unknown])).toThrow('1 runs that do not say what code made them');
    expect(differingFolders(code, codeOf('search'))).toEqual(['shaders', 'src/policy']);
  });
});

describe('the work of a lab', () => {
  test('counts a run that several claims need once', () => {
    const folder = newFolder();
    const runs = (word: string) => workOf(folder, all(word)).reduce((sum, { missing }) => sum + missing.length, 0);
    expect([runs('t1'), runs('t2'), runs('t3')]).toEqual([120, 120, 120]);
    const work = workOf(folder, [...all('t1'), ...all('t2'), ...all('t3')]);
    expect(work.map(({ missing }) => missing.length)).toEqual([60, 60, 0, 0, 0, 0]);
    writeFileSync(labFile(folder, shortcut.key), comparisonJson(fileOf(shortcut, every)));
    expect(runs('t1')).toBe(60);
    // As fast as the finished ones.
    expect(workOf(folder, [shortcut])[0].seconds).toBeCloseTo((0.4 + 119 * 0.2) / 120, 2);
  });

  test.each([1, 3, 8])('is spread over %s shares: every run once, a seed whole', (of) => {
    const folder = newFolder();
    const asked = all('all');
    const names = (shard?: { part: number; of: number }) =>
      workOf(folder, asked, shard).flatMap(({ prepared: { key }, missing }) =>
        missing.map(({ arm, seed }) => `${key} ${arm.name} ${seed}`),
      );
    const shares = Array.from({ length: of }, (_, index) => names({ part: index + 1, of }));
    expect(shares.flat().sort()).toEqual(names().sort());
    expect(new Set(shares.flat()).size).toBe(shares.flat().length);
    const unit = (name: string) => `${name.split(' ')[0]} ${name.split(' ').at(-1)}`;
    const owners = shares.map((share) => new Set(share.map(unit)));
    const [first, ...others] = owners;
    for (const one of first) expect(others.some((other) => other.has(one))).toBe(false);
  });

  test('tells the time left of a claim and in all, by what updates take', () => {
    let now = 0;
    const folder = newFolder();
    const said: string[] = [];
    const work = workOf(folder, [experimentOf('t4', 0, 1), experimentOf('r6', 0, 1)]);
    expect(work.map(({ updates }) => updates)).toEqual([720, 320]);
    const progress = new LabProgress(
      { err: (text) => said.push(text), interactive: false, columns: 80 },
      work,
      () => now,
    );
    expect(progress.seconds()).toBeCloseTo(720 * 0.15 + 320 * 0.43);
    progress.begins();
    for (let update = 0; update < 120; update++) {
      now += 500;
      progress.update(0, 'x');
    }
    now += 60_000;
    progress.finished(0, 'mt-ppo, seed 1');
    expect(progress.seconds('t4')).toBeCloseTo(600 * 0.5);
    expect(said).toEqual(['mt-ppo, seed 1 is done; 5 min 0 s left of t4, 7 min 18 s in all (1 of 10 runs)\n']);
  });

  test('is sampled evenly, runs with a change on their way last', () => {
    const [one, other] = [{ key: 'one' }, { key: 'other' }];
    const plain = every.map((run) => ({ prepared: one, run }));
    expect(sampleOf(plain, 3).map(({ run }) => [run.arm.name, run.seed])).toEqual([
      ['grpo-or', 1],
      ['mt-grpo', 4],
      ['ppo-mr', 7],
    ]);
    expect(sampleOf(plain.slice(0, 2), 9)).toHaveLength(2);
    // Every file has its own: what is taken over is a file.
    const change = { from: 'grpo-or', to: 'mt-grpo', step: 60 } as unknown as Switch;
    const switched = every.map((run) => ({ prepared: other, run: { ...run, arm: { ...run.arm, switch: change } } }));
    expect(sampleOf([...switched, ...plain], 1)).toEqual([switched[0], plain[0]]);
    const mixed = [switched[0], ...plain.slice(0, 2).map((of) => ({ ...of, prepared: other }))];
    expect(sampleOf(mixed, 3)).toEqual([mixed[1], mixed[2], mixed[0]]);
  });
});

describe('an experiment', () => {
  test('is a line of compare, too', () => {
    const [m7] = all('m7');
    expect(compareLine(m7)).toBe(
      'compare --environment repair --maxTurns 3 --rules murphy-mars,murphy-mars:inter=2/1 --steps 50 --seeds 5 --worlds 5',
    );
    expect(compareLine(experimentOf('m1', 1))).toContain(' --iterations 5 --strata 8 --rules murphy-mars,grpo-mt,');
    expect(compareLine(experimentOf('own-toggle', 1))).toContain(
      '--switch 60,100 --habit 40 --steps 60 --seeds 10 --worlds 5',
    );
  });

  test('has a file of its own by everything that its runs have in common', () => {
    expect(all('r').map(({ key }) => key)).toContain('repo-learningRate-0.0003-60');
    expect(all('m1').map(({ key }) => key)).toEqual(['repair-50', 'repair-iterations-5-strata-8-50']);
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
    ['lab rum t1', 'WHAT: "rum" is not one of list, run, check, merge, report; did you mean run?'],
    ['lab list t99', '"t99" is no claim and no paper'],
    ['lab run t1 --shard 9/8', '--shard: "9/8" is not two whole numbers, the first from 1 to the second'],
    [
      'lab check t11 --seed 99 --folder nowhere',
      'there is no run of seed 99 to make again, neither in nowhere nor in docs/lab',
    ],
    ['lab merge nothing.json', 'there is no file nothing.json'],
  ])('%s', async (line, message) => {
    const { code, err } = await turnwise(line);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test('lists what is to be run', async () => {
    const folder = newFolder();
    const { code, out } = await turnwise(`lab list t --folder ${folder}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^t1 +headline +120 runs +36 min 0 s +Where the outcome alone/m);
    expect((await turnwise(`lab list r7 --folder ${folder}`)).out).toMatch(/^r7 +ablation +5 runs/m);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refuses runs of other code before it opens a device', async () => {
    const folder = newFolder();
    const { made: _, ...unknown } = every[0];
    writeFileSync(labFile(folder, shortcut.key), comparisonJson(fileOf(shortcut, [unknown])));
    const { code, err } = await turnwise(`lab run t1 --folder ${folder}`);
    expect(err).toContain('search-shortcut-120 has 1 runs that do not say what code made them');
    expect(code).toBe(2);
  });

  test('refuses runs of another engine before it begins one', async () => {
    const folder = newFolder();
    writeFileSync(labFile(folder, shortcut.key), comparisonJson(fileOf(shortcut, every.slice(1))));
    const { code, err } = await turnwise(`lab run t1 --folder ${folder}`);
    expect(err).toContain(`search-shortcut-120 has ${every.length - 1} runs of made up, and --engine is exact`);
    expect(code).toBe(2);
  });

  test('has nothing to do where every run is there', async () => {
    const folder = newFolder();
    writeFileSync(labFile(folder, shortcut.key), comparisonJson(fileOf(shortcut, every)));
    const open = experimentOf('t1', 1);
    writeFileSync(labFile(folder, open.key), comparisonJson(fileOf(open, allRuns(open))));
    const { code, err } = await turnwise(`lab run t1 t2 --folder ${folder}`);
    expect([code, err]).toEqual([0, expect.stringContaining('all runs are there')]);
  });

  test('goes on to 20 seeds where those that were asked for leave a test open, and reports of all of them', async () => {
    const folder = newFolder();
    const noisy = (seeds: number) =>
      experimentOf('t4', 0, seeds).seeds.flatMap((seed) =>
        open.arms.map(({ name }) =>
          searchRun(open, name, seed, (name === 'mt-ppo') === (seed % 2 === 1) ? [0.9, 0.9, 0.9] : [0.9, 0.7, 0.7]),
        ),
      );
    const open = experimentOf('t4');
    writeFileSync(labFile(folder, open.key), comparisonJson(fileOf(open, noisy(10))));
    expect((await turnwise(`lab list t4 --folder ${folder}`)).out).toContain('undecided, goes on to 20');
    const docs = join(folder, 'docs');
    const indexed = async () => {
      await turnwise(`lab report --folder ${folder} --docs ${docs}`);
      return /^\| \[t4\].*$/m.exec(readFileSync(join(docs, 'README.md'), 'utf8'))?.[0];
    };
    expect(await indexed()).toMatch(/ 10 \| 20 seeds: `lab run t4`, 18 minutes more \|$/);
    const { code, err } = await turnwise(`lab run t4 --engine wgsl --folder ${folder}`);
    expect(err).toContain('undecided by the seeds that they ask for, so they go on to 20: t4 open');
    // There is no device here.
    expect(code).toBe(1);
    expect((await turnwise(`lab run t4 --seeds 10 --folder ${folder}`)).code).toBe(0);
    writeFileSync(labFile(folder, open.key), comparisonJson(fileOf(open, noisy(20))));
    expect(await indexed()).toMatch(/ 20 \| {2}\|$/);
    const result = readResult(docs, 't4');
    expect([result?.experiments[0].seeds, result?.experiments[0].runs.length]).toEqual([20, 120]);
  });

  test('what is held against another experiment goes on with it, and is decided when both are whole', async () => {
    const folder = newFolder();
    const docs = join(folder, 'docs');
    const noisy = (one: Prepared) =>
      one.seeds.flatMap((seed) =>
        one.arms.map(({ name }) =>
          searchRun(one, name, seed, [0.9, 0.7, (name === 'mt-ppo') === (seed % 2 === 1) ? 0.9 : 0.7]),
        ),
      );
    const keep = (index: number, seeds: number, runs: (one: Prepared) => readonly ArmRun[]) => {
      const one = experimentOf('t9', index, seeds);
      writeFileSync(labFile(folder, one.key), comparisonJson(fileOf(one, runs(one))));
    };
    keep(0, 10, allRuns);
    keep(1, 10, noisy);
    keep(2, 10, allRuns);
    expect((await turnwise(`lab run t9 --engine wgsl --folder ${folder}`)).err).toContain(
      'so they go on to 20: t9 2 hops, t9 one hop\n',
    );
    const reported = async () => {
      await turnwise(`lab report --folder ${folder} --docs ${docs}`);
      return readResult(docs, 't9')?.experiments.map(({ seeds, missing }) => [seeds, missing]);
    };
    keep(1, 20, noisy);
    expect(await reported()).toEqual([
      [10, 0],
      [10, 0],
      [10, 0],
    ]);
    keep(0, 20, allRuns);
    expect(await reported()).toEqual([
      [20, 0],
      [20, 0],
      [10, 0],
    ]);
  });

  test('merges shares and files of compare, and takes the shares away', async () => {
    const folder = newFolder();
    const given = join(newFolder(), 'found.json');
    const of = (from: number, to: number) =>
      comparisonJson(
        fileOf(
          shortcut,
          every.filter(({ seed }) => seed >= from && seed <= to),
        ),
      );
    writeFileSync(join(folder, 'search-shortcut-120.1of2.json'), of(1, 3));
    writeFileSync(join(folder, 'search-shortcut-120.2of2.json'), of(3, 6));
    writeFileSync(given, of(6, 10));
    const { code, err } = await turnwise(`lab merge ${given} --folder ${folder}`);
    expect([code, err]).toEqual([0, expect.stringContaining('has 60 runs')]);
    expect(readdirSync(folder)).toEqual(['search-shortcut-120.json']);
    expect(existsSync(given)).toBe(true);
    expect(readLab(folder, shortcut.key, shortcut.plan).runs).toHaveLength(60);
  });

  test('says of a file that is of no claim why', async () => {
    const folder = newFolder();
    const other = join(folder, 'other.json');
    const plan = { ...shortcut.plan, steps: 7 };
    writeFileSync(other, comparisonJson({ ...fileOf(shortcut, []), plan }));
    const { code, err } = await turnwise(`lab merge ${other} --folder ${join(folder, 'new')}`);
    expect(code).toBe(2);
    expect(err).toContain('has the runs of no claim');
    expect(err).toContain('search-shortcut-120: ');
    expect(err).toContain('steps 7, not 120');
  });

  test('reports a verdict for every test, and pages with data, table, figure and the lines that repeat it', async () => {
    const folder = newFolder();
    const docs = join(folder, 'docs');
    writeFileSync(labFile(folder, shortcut.key), comparisonJson(fileOf(shortcut, every)));
    const { code, out } = await turnwise(`lab report --folder ${folder} --docs ${docs}`);
    expect(code).toBe(0);
    expect(out).toMatch(/^t1 +shortcut: appears; open: not run/m);
    expect(out).toMatch(/^r7 +not run/m);
    const page = readFileSync(join(docs, 't1.md'), 'utf8');
    for (const text of [
      '| GRPO-OR: tool use ends more than 25 points below where it began | appears | appears | +48.9 points |',
      '![Every test: the seeds, their mean and its 95 % interval](t1-shortcut.svg)',
      '| GRPO-OR takes the shortcut: tool use ends below 0.05, right answers to new questions below 0.15 | appears | 10 of 10 seeds, 9 needed |',
      '    npm run turnwise -- lab check t1 --seed 1',
      'Not run: 60 runs, an estimate of 18 minutes',
      '## What differs from the paper',
    ]) {
      expect(page).toContain(text);
    }
    expect(readFileSync(join(docs, 't1-shortcut.svg'), 'utf8')).toContain('seed 10, world 4');
    const result = readResult(docs, 't1');
    expect(result?.experiments[0].runs).toHaveLength(60);
    expect(existsSync(join(docs, 't1-open.svg'))).toBe(false);
    // A claim that is asked for alone leaves the others as they are, though their runs are elsewhere.
    const before = new Map(readdirSync(docs).map((name) => [name, readFileSync(join(docs, name), 'utf8')]));
    expect((await turnwise(`lab report t4 --folder ${newFolder()} --docs ${docs}`)).code).toBe(0);
    const after = new Map(readdirSync(docs).map((name) => [name, readFileSync(join(docs, name), 'utf8')]));
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    const changed = [...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name);
    expect(changed.filter((name) => !/^(t4|README)\b/.test(name))).toEqual([]);
  });

  test('a report takes away figures of its own alone, and no index of something else', async () => {
    const folder = newFolder();
    const docs = join(folder, 'docs');
    mkdirSync(docs);
    for (const name of ['package.json', 'notes.md', 't1-gone.svg', 'other-t1.svg'])
      writeFileSync(join(docs, name), name);
    const line = `lab report --folder ${folder} --docs ${docs}`;
    expect((await turnwise(line)).code).toBe(0);
    const left = ['package.json', 'notes.md', 't1-gone.svg', 'other-t1.svg'].filter((name) =>
      existsSync(join(docs, name)),
    );
    expect(left).toEqual(['package.json', 'notes.md', 'other-t1.svg']);
    expect((await turnwise(line)).code).toBe(0);
    writeFileSync(join(docs, 'README.md'), '# A project\n');
    const { code, err } = await turnwise(line);
    expect([code, err]).toEqual([2, expect.stringContaining('README.md is no index of claims')]);
    expect(readFileSync(join(docs, 'README.md'), 'utf8')).toBe('# A project\n');
  });

  test('a report leaves experiments alone that the pages have with more runs, and takes what has as many', async () => {
    const [folder, less] = [newFolder(), newFolder()];
    const docs = join(folder, 'docs');
    const write = (where: string, runs: typeof every) =>
      writeFileSync(labFile(where, shortcut.key), comparisonJson(fileOf(shortcut, runs)));
    write(folder, every);
    await turnwise(`lab report --folder ${folder} --docs ${docs}`);
    const before = readFileSync(join(docs, 't1.json'), 'utf8');
    write(
      less,
      every.filter(({ seed }) => seed < 3),
    );
    const { err } = await turnwise(`lab report t1 --folder ${less} --docs ${docs}`);
    expect(err).toContain('t1, shortcut: ');
    expect(err).toContain('has more runs, so it stays as it is');
    expect(readFileSync(join(docs, 't1.json'), 'utf8')).toBe(before);
    const other = every.map((run) => ({ ...run, heldOut: { ...run.heldOut, answer: 0.5 } }));
    write(less, other);
    expect((await turnwise(`lab report t1 --folder ${less} --docs ${docs}`)).err).not.toContain('stays as it is');
    expect(readFileSync(join(docs, 't1.json'), 'utf8')).not.toBe(before);
  });

  test('says of a claim without an experiment that it cannot be run yet, and why', () => {
    const [r7] = claimsOfWord('r7');
    const claim = { ...r7, experiments: [], missing: 'Nobody has built it.' };
    const texts = resultTexts([[claim, { ...CLAIM_FORMAT, id: 'r7', experiments: [] }]]);
    expect(texts.get('README.md')).toMatch(/\| \[r7\]\(r7\.md\) .*\| not run \| not run \| +\| cannot be run yet \|/);
    expect(texts.get('r7.md')).toContain('Nobody has built it.');
  });

  test('decides nothing before all seeds are there', async () => {
    const folder = newFolder();
    writeFileSync(
      labFile(folder, shortcut.key),
      comparisonJson(
        fileOf(
          shortcut,
          every.filter(({ seed }) => seed < 10),
        ),
      ),
    );
    const { out } = await turnwise(`lab report t1 --folder ${folder}`);
    expect(out).toMatch(/^t1 +shortcut: undecided; open: not run/m);
  });
});
