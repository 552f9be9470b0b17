import { expect, test } from 'vitest';
import { findClaims } from '../../../../src/experiments/claims/readClaims.ts';
import { COMPARED } from '../../../../src/experiments/compare/comparedEnvironments.ts';
import type { ArmRun, ComparisonPlan } from '../../../../src/experiments/compare/findings.ts';
import type { EpisodeSampler } from '../../../../src/experiments/evaluation/heldOut.ts';
import { evaluateRepair } from '../../../../src/experiments/evaluation/repairEvaluation.ts';
import type { Trainer } from '../../../../src/training/run/trainer.ts';
import { NEARLY, RIGHT, type Script, scripted, ZERO } from '../evaluation/scriptedPolicy.ts';

const { measure, columns, notes, measuring } = COMPARED.repair;
const SAMPLING = { temperature: 1, topP: 1, topK: 0 };
/** Policy whose programs depend only on their random draw. */
const stochastic: Script = (_, draw) => (draw < 20 ? RIGHT : draw < 60 ? NEARLY : ZERO);

const planOf = (budget?: number): ComparisonPlan => ({
  ...{ configurationVersion: 1, environment: 'repair', steps: 2, worlds: 1, settings: {}, controls: {} },
  freshWarmStart: false,
  measuring: {
    samples: 8,
    problems: 0,
    iterations: 3,
    strata: 0,
    ...SAMPLING,
    ...(budget === undefined ? {} : { budget }),
  },
});
const measured = (budget?: number, signal?: AbortSignal) =>
  measure(trainerOf(scripted(stochastic).sampler), planOf(budget), signal);
/** Returns a trainer whose measurements use a scripted policy. */
const trainerOf = (sampler: EpisodeSampler) => Object.assign(sampler, { measurer: sampler }) as unknown as Trainer;

test('scaffolds are measured only if requested, and do not change the other results', async () => {
  const plain = await measured();
  expect(Object.keys(plain).filter((name) => /scaffold|spent/.test(name))).toEqual([]);
  expect(await measured(0)).toEqual(plain);
  expect(measuring.budget.default).toBe(0);
  const result = await measured(5);
  expect(result).toMatchObject(plain);
  const five = await evaluateRepair(scripted(stochastic).sampler, {
    ...{ split: 'held-out', samples: 8, iterations: 5, feedback: 'true', sampling: SAMPLING },
  });
  expect(result['scaffold:refine']).toBe(five.iterations[4]);
  for (const name of ['refine', 'best-of-n', 'lats', 'dot']) {
    expect(result[`scaffold:${name}`]).toBeGreaterThan(plain.iter1 as number);
    expect(result[`spent:${name}`]).toBeLessThan(5);
  }
});

test('claim M9 requests the measurement of scaffolds', async () => {
  const [m9] = findClaims('m9');
  const [{ measuring: options, tests }] = m9.experiments;
  const result = Object.keys(await measured(options?.budget));
  const names = tests.flatMap((entry) =>
    entry.kind === 'paired' && 'measured' in entry.of ? [entry.of.measured] : [],
  );
  expect(names).toHaveLength(4);
  for (const name of names) expect(result).toContain(name);
});

test('a stopped measurement contains no results for scaffolds', async () => {
  const stop = new AbortController();
  const { sampler } = scripted(stochastic);
  const play = sampler.play.bind(sampler);
  let batches = 0;
  Object.assign(sampler, {
    play: (...args: Parameters<typeof play>) => {
      if (++batches === 5) stop.abort();
      return play(...args);
    },
  });
  const result = await measure(trainerOf(sampler), planOf(5), stop.signal);
  expect(Object.keys(result).filter((name) => name.startsWith('scaffold'))).toEqual([]);
});

test('each scaffold has a column, and all share a note, if they are requested', () => {
  const named = (budget?: number) => columns(planOf(budget)).filter(({ name }) => name.startsWith('scaffold:'));
  expect(named()).toEqual([]);
  const [refine, ...rest] = named(8);
  expect([refine.title, ...rest.map(({ title }) => title)]).toEqual(['refine, 8', 'best-of-n, 8', 'lats, 8', 'dot, 8']);
  const run = { heldOut: { 'scaffold:lats': 0.75 } } as unknown as ArmRun;
  expect(rest.map((column) => column.of(run, planOf(8)))).toEqual([Number.NaN, 0.75, Number.NaN]);
  expect(notes(planOf(8)).join(' ')).toContain('with up to 8 programs per episode');
  expect(notes(planOf()).join(' ')).not.toContain('scaffolds');
});

test('the notes of a comparison in one world say that it measures no differences between worlds', () => {
  const text = (worlds: number) => notes({ ...planOf(), worlds }).join(' ');
  expect(text(1)).toContain('differences between worlds are not measured (--worlds)');
  expect(text(5)).toContain('the seeds cycle through 5 worlds');
});
