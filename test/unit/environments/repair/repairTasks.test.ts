import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sitePriors } from '../../../../src/environments/repair/demonstrator.ts';
import { allDrafts } from '../../../../src/environments/repair/families.ts';
import { chooseEasyTests, chooseTests, TESTS } from '../../../../src/environments/repair/recordProblems.ts';
import { loadProblems, type ProblemRecord, readProblems } from '../../../../src/environments/repair/repairTasks.ts';
import {
  allChoices,
  candidateInputs,
  parseTemplate,
  renderTemplate,
} from '../../../../src/environments/repair/template.ts';
import { CounterRandom } from '../../../../src/random/counter.ts';

const problems = await loadProblems();

describe('the shipped problems', () => {
  it('the shipped problems are the 738 problems of the 59 families', () => {
    expect(problems).toHaveLength(738);
    expect(new Set(problems.map(({ family }) => family)).size).toBe(59);
    expect(problems.map(({ promptTerms }) => promptTerms)).toEqual(allDrafts().map(({ promptTerms }) => promptTerms));
  });

  it('each shipped problem has ten different tests with one argument per parameter', () => {
    for (const { tests, easyTests, signature } of problems) {
      expect(tests).toHaveLength(TESTS);
      const all = [...tests, ...easyTests].map(({ args }) => JSON.stringify(args));
      expect(new Set(all).size).toBe(all.length);
      expect([...tests, ...easyTests].every(({ args }) => args.length === signature.length)).toBe(true);
    }
    expect(problems.filter(({ easyTests }) => easyTests.length >= 3).length).toBeGreaterThan(680);
  });

  it('shipped problems have about three sites of possible errors', () => {
    const sites = problems.reduce((sum, { template }) => sum + template.sites.length, 0);
    expect(sites / problems.length).toBeCloseTo(2.93, 2);
    expect(problems.filter(({ template }) => template.sites.some(({ hidden }) => hidden))).toHaveLength(307);
  });

  it('the prompt of a held-out problem does not occur in training', () => {
    const split = new Map<string, boolean>();
    for (const { prompt, heldOut } of problems) {
      const key = prompt.join();
      expect(split.get(key) ?? heldOut).toBe(heldOut);
      split.set(key, heldOut);
    }
    expect(problems.filter(({ heldOut }) => heldOut).length / problems.length).toBeCloseTo(0.18, 2);
  });

  it('shipped problems have prompts of at most 12 tokens', () => {
    expect(Math.max(...problems.map(({ prompt }) => prompt.length))).toBe(12);
  });

  it('readProblems throws an error for records of other families', () => {
    const record: ProblemRecord = { words: 'sum of all', signature: 'a', heldOut: false, tests: [], easy: [] };
    expect(() => readProblems([record])).toThrow('1 problems are recorded, the families have 738');
    const records = allDrafts().map(() => record);
    expect(() => readProblems(records)).toThrow('recorded problem 0 is "sum of all"');
  });
});

describe('templates of problems', () => {
  const template = parseTemplate('if x {>|>=} k:\n    return {1?2?3}');

  it('templates have sites whose first option is right', () => {
    expect(template.sites).toEqual([
      { options: ['>', '>='], hidden: false },
      { options: ['1', '2', '3'], hidden: true },
    ]);
    expect(allChoices(template)).toHaveLength(6);
    expect(renderTemplate(template, [1, 2])).toBe('if x >= k:\n    return 3');
    expect(() => parseTemplate('return {1}')).toThrow('site {1} has one option');
  });
});

describe('the choice of tests', () => {
  // Rows are wrong programs, and columns are candidate inputs: o passes, x fails.
  const matrix = (...rows: string[]) => rows.map((row) => [...row].map((result) => result === 'o'));

  it('chosen tests detect each wrong program', () => {
    // Input 3 detects two programs, and input 1 detects the third. No other test is required.
    const passed = matrix('oooxoooooooooo', 'oooxoooooooooo', 'oxoooooooooooo');
    for (let seed = 0; seed < 20; seed++) {
      const chosen = chooseTests(passed, new CounterRandom(seed, 0));
      expect(chosen).toHaveLength(TESTS);
      expect(chosen).toEqual(expect.arrayContaining([1, 3]));
      expect(new Set(chosen).size).toBe(TESTS);
    }
  });

  it('at most six tests are chosen to detect wrong programs', () => {
    // Eight programs, each detected by a different input.
    const rows = Array.from({ length: 8 }, (_, row) => `${'o'.repeat(row)}x${'o'.repeat(15 - row)}`);
    const chosen = chooseTests(matrix(...rows), new CounterRandom(0, 0));
    expect(chosen).toHaveLength(TESTS);
    // The quantiles 0, .05, .15 and .3 of the kill rate are inputs that detect no program.
    expect(chosen.filter((test) => test < 8)).toHaveLength(6);
  });

  it('easy tests are tests that constant programs pass', () => {
    const candidates = [
      { args: [[]], expected: 0 },
      { args: [[1]], expected: 1 },
      { args: [[2]], expected: 0 },
      { args: [[3]], expected: 0 },
      { args: [[4]], expected: 4 },
    ];
    const chosen = chooseEasyTests(candidates, [candidates[2]]);
    // `return 0` passes two of the remaining tests, and `return 1` passes one. No constant program returns 4.
    expect(chosen.map(({ expected }) => expected)).toEqual([0, 0, 1]);
  });
});

describe('candidate inputs', () => {
  it('candidate inputs are determined by the seed, and include the numbers of the prompt', () => {
    const draw = (seed: number) => candidateInputs('a', new CounterRandom(seed, 1, 5), [4]);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).toContainEqual([[4, 4, 4, 4]]);
    expect(draw(1)).toContainEqual([[]]);
    expect(candidateInputs('nk', new CounterRandom(0, 1), [])).toHaveLength(54);
  });
});

describe('the prior of sites', () => {
  const sites = problems.flatMap((problem) => {
    const prior = sitePriors(problem.family, problem.template);
    return problem.template.sites.map(({ hidden }, site) => ({ hidden, options: prior[site] }));
  });
  const share = (holds: (right: number) => boolean) => {
    const plain = sites.filter(({ hidden }) => !hidden);
    return plain.filter(({ options }) => holds(options[0])).length / plain.length;
  };

  it('the prior of each site is a probability distribution', () => {
    for (const { options } of sites) {
      expect(options.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
      expect(Math.min(...options)).toBeGreaterThan(0);
    }
  });

  it('the prior makes most sites nearly always right, some nearly always wrong, and few mixed', () => {
    // Shares of 68, 8 and 24 % over kinds of sites. Problems of a family share sites, so their shares vary more.
    expect(Math.abs(share((right) => right > 0.98) - 0.68)).toBeLessThan(0.08);
    expect(Math.abs(share((right) => right >= 0.35 && right <= 0.85) - 0.08)).toBeLessThan(0.08);
    expect(Math.abs(share((right) => right < 0.07) - 0.24)).toBeLessThan(0.08);
  });

  it('the prior of world 0 is unchanged, bit by bit', () => {
    const all = (['sharp', 'flat'] as const).map((shape) =>
      problems.map(({ family, template }) => sitePriors(family, template, shape, 0)),
    );
    // The shipped warm start was trained with these priors.
    expect(createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16)).toBe('04b9c79a462f7b54');
  });

  it('the prior differs between worlds, with about the same shares over many worlds', () => {
    const { family, template } = problems[0];
    expect(sitePriors(family, template, 'sharp', 0)).toEqual(sitePriors(family, template));
    expect(sitePriors(family, template, 'sharp', 1)).not.toEqual(sitePriors(family, template));
    const rights = Array.from({ length: 30 }, (_, world) =>
      problems.flatMap((problem) => {
        const prior = sitePriors(problem.family, problem.template, 'sharp', world);
        return problem.template.sites.flatMap(({ hidden }, site) => (hidden ? [] : [prior[site][0]]));
      }),
    ).flat();
    expect(rights.filter((right) => right < 0.07).length / rights.length).toBeCloseTo(0.24, 1);
    expect(rights.filter((right) => right > 0.98).length / rights.length).toBeCloseTo(0.68, 1);
  });

  it('the prior prefers one reading of a hidden convention, regardless of the right reading', () => {
    const tops = sites.filter(({ hidden }) => hidden).map(({ options }) => Math.max(...options));
    expect(Math.min(...tops)).toBeGreaterThanOrEqual(0.93);
    expect(Math.max(...tops)).toBeLessThanOrEqual(0.98);
    const [strict, inclusive] = problems.filter(({ promptTerms }) => promptTerms.join(' ') === 'sum of above 5');
    const site = strict.template.sites.findIndex(({ hidden }) => hidden);
    const readings = [strict, inclusive].map(({ family, template }) => sitePriors(family, template)[site]);
    expect(readings[0]).toEqual(readings[1].toReversed());
  });

  it('problems of a family with equal sites have equal priors', () => {
    const [first, second] = problems.filter(({ promptTerms }) =>
      /^sum of greater than \d$/.test(promptTerms.join(' ')),
    );
    expect(first.promptTerms).not.toEqual(second.promptTerms);
    expect(sitePriors(first.family, first.template)).toEqual(sitePriors(second.family, second.template));
  });

  it('a flat prior has no site that is nearly always wrong', () => {
    const rights = problems.flatMap(({ family, template }) =>
      sitePriors(family, template, 'flat').filter((_, site) => !template.sites[site].hidden),
    );
    expect(rights.every(([right]) => right >= 0.35 && right <= 0.97)).toBe(true);
    const hidden = problems.flatMap(({ family, template }) =>
      sitePriors(family, template, 'flat').filter((_, site) => template.sites[site].hidden),
    );
    expect(hidden.every((options) => Math.max(...options) >= 0.6 && Math.max(...options) <= 0.9)).toBe(true);
  });
});
