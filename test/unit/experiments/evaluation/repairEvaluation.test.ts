import { describe, expect, test } from 'vitest';
import { refinementText } from '../../../../src/cli/commands/evaluateText.ts';
import { meanPassAtK } from '../../../../src/environments/repair/evaluation.ts';
import { stratumOf } from '../../../../src/experiments/evaluation/heldOut.ts';
import {
  difficulties,
  evaluateRefinement,
  evaluateRepair,
  type RefinementPlan,
} from '../../../../src/experiments/evaluation/repairEvaluation.ts';
import { NEARLY, RIGHT, reader, type Script, scripted, VISIBLE, ZERO } from './scriptedPolicy.ts';

const PLAN: RefinementPlan = {
  split: 'held-out',
  samples: 8,
  iterations: 3,
  feedback: ['true', 'shuffled', 'retry'],
  runs: 4,
  passAt: [1, 2, 8],
  sampling: { temperature: 1, topP: 1, topK: 0 },
};

test('a policy that reads feedback repairs all programs with true feedback, and fewer with controls', async () => {
  const reports = await evaluateRefinement(scripted(reader).sampler, PLAN);
  const [real, shuffled, retry] = reports ?? [];
  expect(reports?.map(({ feedback }) => feedback)).toEqual(['true', 'shuffled', 'retry']);
  // A policy that reads its feedback is right at the second attempt.
  expect(real.iterations.slice(1)).toEqual([1, 1].map(() => ({ mean: 1, deviation: 0 })));
  expect(real.repairRate.mean).toBe(1);
  expect(shuffled.iterations[1].mean).toBeLessThan(1);
  expect(shuffled.iterations[1].mean).toBeGreaterThan(shuffled.iterations[0].mean);
  // A retry is another first attempt: about .25, .44, .58.
  expect(retry.iterations[2].mean).toBeLessThan(real.iterations[2].mean);
  // Feedback controls have the same first programs in each run.
  for (const { runs } of [shuffled, retry]) {
    expect(runs.map(({ iterations }) => iterations[0])).toEqual(real.runs.map(({ iterations }) => iterations[0]));
    expect(runs.map(({ passAt }) => passAt[1].first)).toEqual(real.runs.map(({ passAt }) => passAt[1].first));
  }
});

test('runs differ, do not depend on their number, and are reported as mean and standard deviation', async () => {
  const evaluate = async (runs: number) => {
    const reports = await evaluateRefinement(scripted(reader).sampler, { ...PLAN, runs, feedback: ['true'] });
    return (reports ?? [])[0];
  };
  const [four, single] = [await evaluate(4), await evaluate(1)];
  const first = four.runs.map(({ iterations }) => iterations[0]);
  expect(new Set(first).size).toBeGreaterThan(1);
  expect(single.runs).toEqual(four.runs.slice(0, 1));
  const mean = first.reduce((sum, share) => sum + share) / 4;
  const deviation = Math.sqrt(first.reduce((sum, share) => sum + (share - mean) ** 2, 0) / 3);
  expect(four.iterations[0].mean).toBeCloseTo(mean, 12);
  expect(four.iterations[0].deviation).toBeCloseTo(deviation, 12);
  expect(single.iterations[0]).toEqual({ mean: first[0], deviation: null });
});

test('pass@k is reported for first and last programs on hidden tests, per problem', async () => {
  const { sampler } = scripted((prompt, draw) => (prompt.includes('<fb>') ? NEARLY : reader(prompt, draw)), 64);
  const wrote: boolean[] = [];
  const play = sampler.play.bind(sampler);
  Object.assign(sampler, {
    play: async (...args: Parameters<typeof play>) => {
      const batch = await play(...args);
      wrote.push(...batch.groups.map(({ turns }) => (turns[0].passed ?? []).slice(4).every(Boolean)));
      return batch;
    },
  });
  const reports = await evaluateRefinement(sampler, { ...PLAN, runs: 1, feedback: ['true'] });
  const bySample = [0, 1].map((task) => wrote.filter((_, episode) => episode % 2 === task));
  const expected = [1, 2, 8].map((k) => ({ k, share: meanPassAtK(bySample, k) }));
  expect(bySample.map(({ length }) => length)).toEqual([8, 8]);
  expect(reports?.[0].passAt.map(({ k, first }) => ({ k, share: first.mean }))).toEqual(expected);
  // This policy repairs no program and does not change right programs.
  expect(reports?.[0].passAt.map(({ last }) => last.mean)).toEqual(expected.map(({ share }) => share));
  expect(reports?.[0].passAt[0].first.mean).toBeCloseTo(reports?.[0].iterations[0].mean ?? NaN, 12);
});

test('an episode stops at the visible tests and is scored on the hidden tests', async () => {
  const { sampler, promptLog } = scripted(() => VISIBLE);
  const reports = await evaluateRefinement(sampler, { ...PLAN, runs: 1, feedback: ['true'] });
  expect(reports?.[0].iterations.map(({ mean }) => mean)).toEqual([0, 0, 0]);
  expect(promptLog).toHaveLength(16);
});

test('the prompt of a later attempt contains only the last attempt and its feedback', async () => {
  const { sampler, promptLog } = scripted((prompt) => (prompt.includes('<fb>') ? ZERO : NEARLY));
  await evaluateRefinement(sampler, { ...PLAN, samples: 1, runs: 1, passAt: [1], feedback: ['true'] });
  const prompt = '<p> sum of above 5 def(a) <c>';
  const [, , second, , third] = promptLog;
  expect(promptLog[0]).toBe(prompt);
  expect(second).toContain('x >= 5');
  expect(second).toMatch(/<fb> in: \[ 5 \] want 0 got 5 <c>$/);
  expect(third).toBe(`${prompt} return 0 <fb> in: [ 6 ] want 6 got 0 <c>`);
});

describe('difficulty of tasks', () => {
  const { feedback: _, runs: __, passAt: ___, ...options } = PLAN;

  test('a task is hard if fewer than a quarter of first programs pass, and easy from three quarters on', () => {
    expect([0, 0.24, 0.25, 0.74, 0.75, 1].map(stratumOf)).toEqual([
      ...['hard', 'hard', 'medium', 'medium', 'easy', 'easy'],
    ]);
  });

  test('difficulty is the pass rate of first programs, from draws that belong to no run', async () => {
    const drawn: number[] = [];
    const { sampler } = scripted((_, draw) => {
      drawn.push(draw);
      return draw < 50 ? RIGHT : VISIBLE;
    });
    const strata = await difficulties(sampler, options);
    expect(drawn).toHaveLength(16);
    // Two tasks alternate. A program that passes only the visible tests is not right.
    const rates = [0, 1].map((task) => drawn.filter((draw, at) => at % 2 === task && draw < 50).length / 8);
    expect([...(strata?.entries() ?? [])]).toEqual(rates.map((rate, id) => [id, stratumOf(rate)]));
    const reseeded = Object.assign(scripted((_, draw) => (draw < 50 ? RIGHT : VISIBLE)).sampler, { seed: 9 });
    expect(await difficulties(reseeded, options)).toEqual(strata);
  });

  test('the mean of the rates by difficulty is the rate of all tasks', async () => {
    const strata = new Map([
      [0, 'hard'],
      [1, 'easy'],
    ] as const);
    const plain = await evaluateRepair(scripted(reader).sampler, { ...options, feedback: 'true' });
    const { strata: apart, ...overall } = await evaluateRepair(scripted(reader).sampler, {
      ...options,
      feedback: 'true',
      strata,
    });
    // A request for strata changes none of the draws.
    expect(overall).toEqual(plain);
    expect(apart?.map(({ stratum, tasks, iterations }) => [stratum, tasks, iterations === undefined])).toEqual([
      ['hard', 1, false],
      ['medium', 0, true],
      ['easy', 1, false],
    ]);
    const [hard, , easy] = apart ?? [];
    for (const turn of [0, 1, 2]) {
      const both = [hard, easy].map((stratum) => stratum?.iterations?.[turn] ?? NaN);
      expect((both[0] + both[1]) / 2).toBeCloseTo(overall.iterations[turn], 12);
    }
    expect(hard?.iterations?.[0]).not.toBe(easy?.iterations?.[0]);
  });

  test('rates by difficulty are reported for each stratum over all runs', async () => {
    const strata = new Map([0, 1].map((id) => [id, 'medium'] as const));
    const [report] =
      (await evaluateRefinement(scripted(reader).sampler, { ...PLAN, feedback: ['true'], strata, runs: 2 })) ?? [];
    const { iterations, repairRate } = report;
    expect(report.strata?.[1]).toMatchObject({ stratum: 'medium', tasks: 2, iterations, repairRate });
    const text = refinementText([report], 'held-out');
    expect(text).toMatch(/true +medium +2 /);
    expect(text).not.toMatch(/true +hard/);
  });

  test('difficulties are undefined if the measurement is stopped', async () => {
    const stop = new AbortController();
    const progress = () => stop.abort();
    expect(await difficulties(scripted(reader).sampler, { ...options, signal: stop.signal, progress })).toBeUndefined();
  });
});

test('a stopped evaluation reports only complete runs', async () => {
  const stopAfter = async (episodes: number) => {
    const stop = new AbortController();
    let latest = '';
    const progress = (done: number, all: number) => {
      latest = `${done}/${all}`;
      if (done >= episodes) stop.abort();
    };
    const reports = await evaluateRefinement(scripted(reader).sampler, { ...PLAN, signal: stop.signal, progress });
    return { runs: reports?.map(({ runs }) => runs.length), progress: latest };
  };
  // 16 episodes for each of three kinds of feedback; six at a time.
  expect(await stopAfter(1)).toEqual({ runs: undefined, progress: '6/192' });
  expect(await stopAfter(47)).toEqual({ runs: [1, 1, 1], progress: '48/192' });
  expect(await stopAfter(100)).toEqual({ runs: [2, 2, 2], progress: '102/192' });
});

describe('a policy that writes its own tests', () => {
  /** Writes a nearly right program, and repairs it after the feedback of a right test. Half of its tests are right. */
  const tester: Script = (prompt, draw) => {
    if (prompt.endsWith('<test>')) return draw < 50 ? 'in: [ 5 ] want 0 in: [ 7 ] want 7' : 'in: [ 6 ] want 0';
    return prompt.includes('want 0 got 5') ? RIGHT : NEARLY;
  };
  const play = (script: Script, plan: Partial<RefinementPlan> = {}) =>
    evaluateRefinement(scripted(script, 6, undefined, 'none', 'written').sampler, {
      ...PLAN,
      ...{ runs: 2, feedback: ['true'], ...plan },
    });

  test('a policy that writes tests repairs programs only with the help of its right tests', async () => {
    const [report] = (await play(tester)) ?? [];
    const [first, second, third] = report.iterations.map(({ mean }) => mean);
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(0.2);
    expect(third).toBeGreaterThan(second);
    expect(third).toBeLessThan(1);
    const { right, caught } = report.writtenTestQuality ?? {};
    // Every right test of this policy catches the wrong program; right programs are tested, too.
    for (const share of [right?.mean, caught?.mean]) expect(Math.abs((share ?? 0) - 0.5)).toBeLessThan(0.2);
    expect(refinementText([report], 'held-out')).toContain('Feedback shows the tests that the policy wrote');
  });

  test('with feedback "retry", a policy that writes tests has equal first programs and repairs none', async () => {
    const [real, retry] = (await play(tester, { feedback: ['true', 'retry'] })) ?? [];
    expect(retry.runs.map(({ iterations }) => iterations[0])).toEqual(real.runs.map(({ iterations }) => iterations[0]));
    expect(retry.iterations.map(({ mean }) => mean)).toEqual([0, 0, 0]);
  });

  test('feedback of a wrong written test can spoil a right program', async () => {
    const spoiler: Script = (prompt) => {
      if (prompt.endsWith('<test>')) return 'in: [ 6 ] want 0';
      return prompt.includes('<fb>') ? ZERO : RIGHT;
    };
    const [report] = (await play(spoiler, { iterations: 2 })) ?? [];
    expect(report.iterations.map(({ mean }) => mean)).toEqual([1, 0]);
    expect(report.writtenTestQuality).toMatchObject({ right: { mean: 0 }, caught: { mean: 0 }, wronged: { mean: 1 } });
  });

  test('the report of a policy that writes no tests has no quality of written tests', async () => {
    const [report] = (await evaluateRefinement(scripted(reader).sampler, { ...PLAN, feedback: ['true'] })) ?? [];
    expect(report).not.toHaveProperty('writtenTestQuality');
    expect(refinementText([report], 'held-out')).not.toContain('tests that the policy wrote');
  });
});
