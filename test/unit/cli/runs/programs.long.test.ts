import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ArmRun } from '../../../../src/experiments/compare/findings.ts';
import { root } from '../../../files.ts';
import { timeless } from '../../../timeless.ts';
import { turnwise } from '../cliTerminal.ts';
import { path, runsOf } from './trainCommand.ts';

/** Returns the curves without values that depend on time. */
const curves = ({ arm, seed, heldOut, series }: ArmRun) => ({ arm, seed, heldOut, series: timeless(series) });

/** Returns the path of a fixture. */
const fixture = (name: string) => join(root, 'test/fixtures/own', name);

test('evaluate and train accept a file of tasks', async () => {
  const tasks = `--tasks ${fixture('tasks.jsonl')}`;
  const json = path('own-tasks');
  const evaluated = await turnwise(`evaluate --environment repair ${tasks} --samples 3 --json ${json}`);
  expect(evaluated.out).toContain('1 held-out tasks, 3 episodes per task, one run.');
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ tasks: 1, samples: 3, split: 'held-out' });
  const trained = await turnwise(`train --environment repair --rule verpo --programs 16 --steps 1 ${tasks}`);
  expect(JSON.parse(trained.out)).toMatchObject({ step: 0, passRate: expect.any(Number) });
});

test('evaluate and train accept a file of repositories', async () => {
  const repositories = `--repositories ${fixture('repositories.jsonl')}`;
  const json = path('own-repositories');
  const evaluated = await turnwise(`evaluate --environment repo ${repositories} --samples 2 --json ${json}`);
  expect(evaluated.out).toMatch(/^tasks +1\nepisodes +2\nsolved +[01]/m);
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ tasks: 1, episodes: 2, environment: 'repo' });
  const trained = await turnwise(`train --environment repo --questions 2 --groupSize 4 --steps 1 ${repositories}`);
  expect(JSON.parse(trained.out)).toMatchObject({ step: 0, tasks: 2 });
});

test('a stopped comparison continues, with the results of an uninterrupted comparison', async () => {
  const tiny = '--programs 16 --steps 1 --problems 2 --samples 1 --seeds 1';
  const line = (file: string) =>
    `compare --environment repair --rules grpo-mt,verpo:norm=std:decay=1 ${tiny} --json ${path(file)}`;
  const abort = new AbortController();
  const err: string[] = [];
  const stopped = await turnwise(line('stopped'), {
    signal: abort.signal,
    interactive: true,
    err: (text) => {
      err.push(text);
      if (text.includes('verpo')) abort.abort();
    },
  });
  expect([stopped.code, stopped.out]).toEqual([130, '']);
  expect(err.join('')).toContain('interrupted: 1 runs are missing');
  expect(runsOf(path('stopped')).map(({ arm }) => arm.name)).toEqual(['grpo-mt']);
  const [again, complete] = [await turnwise(line('stopped')), await turnwise(line('whole'))];
  expect([again.code, complete.code]).toEqual([0, 0]);
  expect(runsOf(path('stopped')).map(curves)).toEqual(runsOf(path('whole')).map(curves));
  const [plain, second] = runsOf(path('whole'));
  expect(plain.series.gradientNorm).not.toEqual(second.series.gradientNorm);
  expect(Object.keys(plain.heldOut)).toEqual(expect.arrayContaining(['iter1', 'iter2', 'iter3', 'repairRate']));
  expect(again.out).toMatch(/^base +1 .*\ngrpo-mt +1 .*\nverpo:decay=1:norm=std +1 /m);
});

test('scaffolds of Repair start with the same programs and do not depend on each other', async () => {
  const evaluate = async (file: string, flags: string) => {
    const json = path(file);
    const { code, out } = await turnwise(
      `evaluate --environment repair --problems 6 --samples 2 ${flags} --json ${json}`,
    );
    expect(code).toBe(0);
    return { out, report: JSON.parse(readFileSync(json, 'utf8')) };
  };
  const all = await evaluate('scaffolds', '--scaffold refine,best-of-n,lats,dot --budget 4');
  expect(all.out).toMatch(/^scaffold +1 program, % +2, % +4, % +spent\nrefine .*\nbest-of-n .*\nlats .*\ndot /);
  expect(all.out).toContain('The reward model helps best-of-n and lats to choose.');
  const { scaffolds, ...head } = all.report;
  expect(head).toMatchObject({ tasks: 6, samples: 2, budget: 4, children: 3, verifier: true, runs: 1 });
  const { report: attempts } = await evaluate('attempts', '--iterations 4');
  const [refine, best, lats, dot] = scaffolds;
  const { iterations } = attempts.feedback[0].runs[0];
  expect(refine.runs[0].solved).toEqual([0, 1, 3].map((attempt) => iterations[attempt]));
  for (const { runs } of [best, lats, dot]) expect(runs[0].solved[0]).toBe(iterations[0]);
  expect(best.programCount.mean).toBe(4);
  // Some first programs pass the visible tests, and others do not.
  for (const { programCount } of [refine, lats, dot]) {
    expect(programCount.mean).toBeGreaterThan(1);
    expect(programCount.mean).toBeLessThan(4);
  }
  expect((await evaluate('lats', '--scaffold lats --budget 4')).report.scaffolds).toEqual([lats]);
  const { report: plain } = await evaluate('plain', '--scaffold best-of-n --budget 4 --verifier none');
  expect(plain.verifier).toBe(false);
  expect(plain.scaffolds[0].programCount.mean).toBeLessThan(4);
});

test('Repair is evaluated over several runs, with both control conditions and pass@k', async () => {
  const evaluate = async (file: string, flags: string) => {
    const json = path(file);
    const { code, out } = await turnwise(
      `evaluate --environment repair --problems 3 --samples 4 ${flags} --json ${json}`,
    );
    expect(code).toBe(0);
    return { out, report: JSON.parse(readFileSync(json, 'utf8')) };
  };
  const { out, report } = await evaluate('runs', '--runs 2 --feedback true,shuffled,retry --passAt 4,1');
  const [real, shuffled, retry] = report.feedback;
  expect(report).toMatchObject({ tasks: 3, samples: 4, iterations: 3, runs: 2, sampling: { temperature: 0.6 } });
  for (const report of [real, shuffled, retry]) {
    expect(report.runs).toHaveLength(2);
    expect(report.passAt.map(({ k }: { k: number }) => k)).toEqual([1, 4]);
    expect(report.passAt[0].first.mean).toBeCloseTo(report.iterations[0].mean, 12);
    expect(report.passAt[0].last.mean).toBeCloseTo(report.iterations[2].mean, 12);
    expect(report.iterations[0]).toEqual(real.iterations[0]);
  }
  expect(out).toMatch(/^true +\d+\.\d ± \d+\.\d /m);
  expect(out).toMatch(/^retry +Iter-3 +\d+\.\d ± \d+\.\d +\d+\.\d ± \d+\.\d$/m);
  // A single run equals the first of two runs.
  const { report: single } = await evaluate('one', '--runs 1 --passAt 4,1');
  expect(single.feedback[0].runs).toEqual(real.runs.slice(0, 1));
});

test('compare supports the Repository environment', async () => {
  const json = path('repo');
  const tiny = '--questions 2 --groupSize 4 --steps 1 --problems 2 --samples 1 --seeds 1';
  const { code, out } = await turnwise(`compare --environment repo --rules rtmc:kappa=0 ${tiny} --json ${json}`);
  expect([code, out]).toEqual([0, expect.stringContaining('Budget: episodes an update are equal, to 5 % (mean 8)')]);
  const [run] = runsOf(json);
  expect(run).toHaveProperty('heldOut.episodes', 2);
  expect(run).toHaveProperty('heldOut.tested');
  expect(run).toHaveProperty('series.tasks', [2]);
});
