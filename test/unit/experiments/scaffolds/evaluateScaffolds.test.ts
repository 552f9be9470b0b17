import { describe, expect, test } from 'vitest';
import { evaluateRefinement } from '../../../../src/experiments/evaluation/repairEvaluation.ts';
import {
  budgetsTo,
  evaluateScaffolds,
  type ScaffoldPlan,
} from '../../../../src/experiments/scaffolds/evaluateScaffolds.ts';
import { NEARLY, RIGHT, reader, type Script, scripted, VISIBLE, ZERO } from '../evaluation/scriptedPolicy.ts';

const PLAN: ScaffoldPlan = {
  split: 'held-out',
  samples: 8,
  scaffolds: ['refine', 'best-of-n', 'lats', 'dot'],
  budget: 5,
  children: 2,
  verifier: false,
  runs: 3,
  sampling: { temperature: 1, topP: 1, topK: 0 },
};

/** Policy whose programs depend only on their random draw, not on earlier attempts. */
const stochastic: Script = (_, draw) => (draw < 20 ? RIGHT : draw < 60 ? NEARLY : ZERO);

const evaluated = async (script: Script, plan: Partial<ScaffoldPlan> = {}, verify?: (program: string) => number) =>
  (await evaluateScaffolds(scripted(script, 6, verify).sampler, { ...PLAN, ...plan })) ?? [];

test('budgets are powers of two and the full budget', () => {
  expect([1, 2, 5, 8].map(budgetsTo)).toEqual([[1], [1, 2], [1, 2, 4, 5], [1, 2, 4, 8]]);
});

test('refine equals the refinement evaluation, and all scaffolds begin with its first programs', async () => {
  const reports = await evaluated(stochastic);
  const [before] =
    (await evaluateRefinement(scripted(stochastic).sampler, {
      ...PLAN,
      iterations: 5,
      feedback: ['true'],
      passAt: [],
    })) ?? [];
  const [refine, ...rest] = reports;
  for (const [run, { iterations }] of before.runs.entries()) {
    expect(refine.runs[run].solved).toEqual([1, 2, 4, 5].map((budget) => iterations[budget - 1]));
    for (const { runs } of rest) expect(runs[run].solved[0]).toBe(iterations[0]);
  }
  expect(new Set(before.runs.map(({ iterations }) => iterations[0])).size).toBeGreaterThan(1);
});

test('the draws of a scaffold do not depend on the other scaffolds, and differ from their draws', async () => {
  const all = await evaluated(stochastic);
  for (const [index, name] of PLAN.scaffolds.entries()) {
    expect(await evaluated(stochastic, { scaffolds: [name] })).toEqual([all[index]]);
  }
  const [first] = all.map(({ runs }) => runs[0].solved.join());
  expect(all.slice(1).some(({ runs }) => runs[0].solved.join() !== first)).toBe(true);
  // Draws of a run also do not depend on later runs.
  expect((await evaluated(stochastic, { runs: 1 })).map(({ runs }) => runs)).toEqual(all.map(({ runs }) => [runs[0]]));
});

test('a search writes at most as many programs as its budget, and fewer if it ends early', async () => {
  const never = await evaluated(() => ZERO, { runs: 1 });
  expect(never.map(({ programCount, solved }) => [programCount.mean, solved[3].mean])).toEqual(
    [0, 1, 2, 3].map(() => [5, 0]),
  );
  const once = await evaluated(() => RIGHT, { runs: 1 });
  expect(once.map(({ programCount, solved }) => [programCount.mean, solved[0].mean])).toEqual(
    [0, 1, 2, 3].map(() => [1, 1]),
  );
  const verified = await evaluated(
    () => RIGHT,
    { runs: 1, verifier: true },
    () => 0.5,
  );
  expect(verified.map(({ programCount }) => programCount.mean)).toEqual([1, 5, 1, 1]);
  for (const { programCount } of await evaluated(stochastic)) {
    expect(programCount.mean).toBeGreaterThan(1);
    expect(programCount.mean).toBeLessThan(5);
  }
});

test('only visible tests select programs, and hidden tests score the answer', async () => {
  // The first program passes only the visible tests: no later program is requested, and no task is solved.
  const reports = await evaluated(() => VISIBLE, { runs: 1 });
  expect(reports.map(({ programCount, solved }) => [programCount.mean, solved[3].mean])).toEqual(
    [0, 1, 2, 3].map(() => [1, 0]),
  );
});

test('a refinement prompt has the continued program and its feedback; a fresh prompt only the task', async () => {
  const prompts = async (scaffold: 'best-of-n' | 'lats') => {
    const { sampler, promptLog } = scripted((prompt) => (prompt.includes('<fb>') ? ZERO : NEARLY), 64);
    await evaluateScaffolds(sampler, { ...PLAN, samples: 1, runs: 1, budget: 4, scaffolds: [scaffold] });
    return promptLog.filter((_, index) => index % 2 === 0);
  };
  const task = '<p> sum of above 5 def(a) <c>';
  expect(await prompts('best-of-n')).toEqual([task, task, task, task]);
  const [first, second, third, fourth] = await prompts('lats');
  expect(first).toBe(task);
  expect(second).toMatch(/x >= 5 .* <fb> in: \[ 5 \] want 0 got 5 <c>$/);
  expect(third).toBe(second);
  // Both children pass the same share: the older child is expanded.
  expect(fourth).toBe(`${task} return 0 <fb> in: [ 6 ] want 6 got 0 <c>`);
});

test('a verifier selects among programs that pass the visible tests', async () => {
  const either: Script = (_, draw) => (draw < 50 ? VISIBLE : RIGHT);
  const likes = (right: number) => (program: string) => (program.includes('sum') ? 0.5 : right);
  const plan = { scaffolds: ['best-of-n'], budget: 16, runs: 1, verifier: true } as const;
  const [good] = await evaluated(either, plan, likes(0.9));
  const [bad] = await evaluated(either, plan, likes(0.1));
  const [first] = await evaluated(either, { ...plan, verifier: false });
  expect(good.solved[4].mean).toBe(1);
  expect(bad.solved[4].mean).toBe(0);
  expect(first.solved[4].mean).toBe(first.solved[0].mean);
  expect([good, bad].map(({ solved }) => solved[0].mean)).toEqual([0, 1].map(() => first.solved[0].mean));
  // LATS requires the verifier. The scaffolds refine and dot do not use it.
  await expect(evaluated(either, { scaffolds: ['lats'], verifier: true })).rejects.toThrow('there is no reward model');
  expect(await evaluated(reader, { scaffolds: ['refine', 'dot'], verifier: true })).toEqual(
    await evaluated(reader, { scaffolds: ['refine', 'dot'] }),
  );
});

describe('reports of scaffolds', () => {
  test('the mean of the scaffold rates by stratum is the overall rate', async () => {
    const strata = new Map([
      [0, 'hard'],
      [1, 'easy'],
    ] as const);
    const plain = await evaluated(stochastic);
    const apart = await evaluated(stochastic, { strata });
    for (const [index, { strata: levels = [], solved }] of apart.entries()) {
      expect(solved).toEqual(plain[index].solved);
      expect(levels.map(({ stratum, tasks }) => [stratum, tasks])).toEqual([
        ['hard', 1],
        ['medium', 0],
        ['easy', 1],
      ]);
      const [hard, , easy] = levels.map((level) => level.solved ?? []);
      for (const at of [0, 1, 2, 3]) {
        expect((hard[at].mean + easy[at].mean) / 2).toBeCloseTo(solved[at].mean, 12);
      }
    }
  });

  test('a stopped evaluation of scaffolds reports only complete runs', async () => {
    const stopAfter = async (episodes: number) => {
      const stop = new AbortController();
      const progress = (done: number) => {
        if (done >= episodes) stop.abort();
      };
      return evaluateScaffolds(scripted(stochastic).sampler, { ...PLAN, signal: stop.signal, progress });
    };
    expect(await stopAfter(1)).toBeUndefined();
    // A run has 16 episodes of each of the four scaffolds.
    expect((await stopAfter(70))?.map(({ runs }) => runs.length)).toEqual([1, 1, 1, 1]);
  });
});
