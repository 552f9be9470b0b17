import { describe, expect, it } from 'vitest';
import {
  controlledPrompts,
  meanPassAtK,
  passAtK,
  refinementPassAt,
  refinementRates,
} from '../../../../src/environments/repair/evaluation.ts';
import { FEEDBACK } from '../../../../src/environments/repair/vocabulary.ts';
import { CounterRandom } from '../../../../src/random/counter.ts';

/** Parses test results such as "1111/111111". The visible tests precede the slash. */
const results = (text: string) => [...text.replace('/', '')].map(Number);
const ALL = '1111/111111';
const VISIBLE = '1111/101111';
const SOME = '1010/111000';
const NONE = '0000/000000';

describe('rates of refinement', () => {
  const episodes = [[ALL], [SOME, ALL], [SOME, SOME, ALL], [VISIBLE], [NONE, SOME, VISIBLE]].map((turns) =>
    turns.map(results),
  );

  it('refinement rates score the latest program at each iteration on hidden tests', () => {
    // Iter-1: episode 0. Iter-2: also episode 1. Iter-3: also episode 2. Episodes that end with VISIBLE do not count.
    const rates = refinementRates(episodes, 3);
    expect(rates.iterations).toEqual([1 / 5, 2 / 5, 3 / 5]);
    expect(rates.all).toEqual([1 / 5, 2 / 5, 3 / 5]);
    expect(rates.repairRate).toBeCloseTo((3 / 5 - 1 / 5) / (4 / 5), 12);
  });

  it('refinement rates distinguish first programs that pass some tests from first programs that pass no test', () => {
    const { partial, none } = refinementRates(episodes, 3);
    expect([partial, none]).toEqual([3 / 5, 1 / 5]);
  });

  it('refinement rates count a program that passes only the hidden tests as right on hidden tests', () => {
    const rates = refinementRates([[results('0111/111111')]], 1);
    expect([rates.iterations[0], rates.all[0]]).toEqual([1, 0]);
  });

  it('the repair rate is 0 if no first program fails', () => {
    expect(refinementRates([[results(ALL)]], 2)).toMatchObject({ iterations: [1, 1], repairRate: 0 });
  });

  it('refinementRates throws an error without episodes, and for a wrong number of attempts', () => {
    expect(() => refinementRates([], 3)).toThrow('there are no episodes');
    expect(() => refinementRates([[results(ALL)], []], 3)).toThrow('episode 1 has 0 attempts, and may have 1 to 3');
    expect(() => refinementRates(episodes, 2)).toThrow('episode 2 has 3 attempts');
  });
});

describe('pass@k', () => {
  it('pass@k is the probability that at least one of k drawn samples is right', () => {
    // 4 samples, 1 right: 3 of the 6 pairs contain it; 2 right: 5 of the 6 pairs contain one.
    expect(passAtK(4, 1, 2)).toBeCloseTo(3 / 6, 12);
    expect(passAtK(4, 2, 2)).toBeCloseTo(5 / 6, 12);
    // 1 - C(7, 3) / C(10, 3) = 1 - 35 / 120.
    expect(passAtK(10, 3, 3)).toBeCloseTo(1 - 35 / 120, 12);
  });

  it('pass@k is the share of right samples for k = 1, and 0 or 1 at the ends', () => {
    expect(passAtK(10, 3, 1)).toBeCloseTo(0.3, 12);
    expect(passAtK(10, 0, 5)).toBe(0);
    expect(passAtK(10, 10, 5)).toBe(1);
    expect(passAtK(10, 6, 5)).toBe(1);
    expect(passAtK(10, 1, 10)).toBe(1);
  });

  it('pass@k does not overflow for 10,000 samples', () => {
    expect(passAtK(10_000, 1, 5_000)).toBeCloseTo(0.5, 9);
  });

  it('meanPassAtK is the mean of pass@k over problems', () => {
    const problems = [
      [true, false, false, false],
      [false, false, false, false],
    ];
    expect(meanPassAtK(problems, 2)).toBeCloseTo(0.25, 12);
  });

  it.each([
    [3, 1, 4],
    [3, 4, 1],
    [3, -1, 1],
    [3, 1, 0],
    [3, 1.5, 1],
  ])('pass@k is not defined for n %d, c %d, k %d', (samples, correct, k) => {
    expect(() => passAtK(samples, correct, k)).toThrow('is not defined');
  });
});

describe('pass@k of refinement', () => {
  // Two tasks of three samples: 1 and 0 right at first, 2 and 1 by the last iteration.
  const tasks = [
    [[ALL], [SOME, NONE, ALL], [VISIBLE]],
    [[SOME, NONE, NONE], [NONE, ALL], [VISIBLE]],
  ].map((samples) => samples.map((turns) => turns.map(results)));

  it('refinementPassAt scores first and last programs of each task on hidden tests', () => {
    // k = 1: (1/3 + 0) / 2, (2/3 + 1/3) / 2. k = 2: 1 of 3 is in 2 of the 3 pairs, 2 of 3 in all of them.
    const [first, two, three] = refinementPassAt(tasks, 3, [1, 2, 3]);
    expect([first.first, first.last]).toEqual([1 / 6, 1 / 2].map((share) => expect.closeTo(share, 12)));
    expect([two.first, two.last]).toEqual([1 / 3, 5 / 6].map((share) => expect.closeTo(share, 12)));
    expect(three).toEqual({ k: 3, first: 1 / 2, last: 1 });
  });

  it('refinementPassAt with k = 1 equals the rates of the first and the last iteration', () => {
    const { iterations } = refinementRates(tasks.flat(), 3);
    const [{ first, last }] = refinementPassAt(tasks, 3, [1]);
    expect([first, last]).toEqual([iterations[0], iterations[2]].map((share) => expect.closeTo(share, 12)));
    const [{ last: second }] = refinementPassAt(
      tasks.map((samples) => samples.map((turns) => turns.slice(0, 2))),
      2,
      [1],
    );
    expect(second).toBeCloseTo(iterations[1], 12);
  });

  it('refinementPassAt throws an error if k exceeds the number of samples', () => {
    expect(() => refinementPassAt(tasks, 3, [4])).toThrow('pass@4 of 1 right among 3 samples is not defined');
  });
});

describe('feedback controls', () => {
  const prompts = [1, 2, 3, 4].map((episode) => [10 + episode, 20 + episode, FEEDBACK, 30 + episode]);
  const fresh = [1, 2, 3, 4].map((episode) => [10 + episode]);
  const random = () => new CounterRandom(1, 6);

  it('the feedback control "true" does not change prompts', () => {
    expect(controlledPrompts('true', prompts, fresh, random())).toBe(prompts);
  });

  it('the feedback control "retry" replaces prompts by the prompts of the tasks', () => {
    expect(controlledPrompts('retry', prompts, fresh, random())).toEqual(fresh);
  });

  it('the feedback control "shuffled" keeps attempts and exchanges their feedback', () => {
    const shuffled = controlledPrompts('shuffled', prompts, fresh, random());
    expect(shuffled.map((prompt) => prompt.slice(0, 3))).toEqual(prompts.map((prompt) => prompt.slice(0, 3)));
    const given = shuffled.map((prompt) => prompt[3]);
    expect(given.toSorted()).toEqual([31, 32, 33, 34]);
    expect(given).not.toEqual([31, 32, 33, 34]);
  });

  it('the feedback control "shuffled" ignores feedback tokens in programs and leaves room for a program', () => {
    const wrote = [
      [11, FEEDBACK, 21, FEEDBACK, 31],
      [...Array.from({ length: 70 }, () => 9), FEEDBACK, 32],
    ];
    const long = [12, FEEDBACK, ...Array.from({ length: 50 }, () => 33)];
    const shuffled = controlledPrompts('shuffled', [...wrote, long], [[], [], []], random());
    expect(shuffled[0].slice(0, 3)).toEqual([11, FEEDBACK, 21]);
    for (const prompt of shuffled) expect(prompt.length).toBeLessThanOrEqual(128 - 44);
  });
});
