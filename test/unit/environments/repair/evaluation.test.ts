import { describe, expect, it } from 'vitest';
import {
  controlledPrompts,
  meanPassAtK,
  passAtK,
  passesVisible,
  refinementPassAt,
  refinementRates,
} from '../../../../src/environments/repair/evaluation.ts';
import { FEEDBACK } from '../../../../src/environments/repair/vocabulary.ts';
import { CounterRandom } from '../../../../src/random/counter.ts';

/** "1111/111111" to results: visible tests before the stroke. */
const results = (text: string) => [...text.replace('/', '')].map(Number);
const ALL = '1111/111111';
const VISIBLE = '1111/101111';
const SOME = '1010/111000';
const NONE = '0000/000000';

describe('rates of refinement', () => {
  const episodes = [[ALL], [SOME, ALL], [SOME, SOME, ALL], [VISIBLE], [NONE, SOME, VISIBLE]].map((turns) =>
    turns.map(results),
  );

  it('score the last program so far on hidden tests', () => {
    // Iter-1: the first. Iter-2: the second too. Iter-3: and the third; what stopped at the visible tests never counts.
    const rates = refinementRates(episodes, 3);
    expect(rates.iterations).toEqual([1 / 5, 2 / 5, 3 / 5]);
    expect(rates.all).toEqual([1 / 5, 2 / 5, 3 / 5]);
    expect(rates.repairRate).toBeCloseTo((3 / 5 - 1 / 5) / (4 / 5), 12);
  });

  it('rates of refinement distinguish first programs that pass some tests from those that pass no test', () => {
    const { partial, none } = refinementRates(episodes, 3);
    expect([partial, none]).toEqual([3 / 5, 1 / 5]);
  });

  it('count a program that passes the hidden tests alone as right on these', () => {
    const rates = refinementRates([[results('0111/111111')]], 1);
    expect([rates.iterations[0], rates.all[0]]).toEqual([1, 0]);
  });

  it('have no repairs without failures', () => {
    expect(refinementRates([[results(ALL)]], 2)).toMatchObject({ iterations: [1, 1], repairRate: 0 });
  });

  it('need episodes with attempts', () => {
    expect(() => refinementRates([], 3)).toThrow('there are no episodes');
    expect(() => refinementRates([[results(ALL)], []], 3)).toThrow('episode 1 has 0 attempts, and may have 1 to 3');
    expect(() => refinementRates(episodes, 2)).toThrow('episode 2 has 3 attempts');
  });

  it('stop if no failing visible test remains', () => {
    expect([ALL, VISIBLE, SOME].map((text) => passesVisible(results(text)))).toEqual([true, true, false]);
  });
});

describe('pass@k', () => {
  it('is the chance that one of k drawn samples is right', () => {
    // 4 samples, 1 right: 3 of the 6 pairs hold it; 2 right: 5 of the 6 pairs hold one.
    expect(passAtK(4, 1, 2)).toBeCloseTo(3 / 6, 12);
    expect(passAtK(4, 2, 2)).toBeCloseTo(5 / 6, 12);
    // 1 - C(7, 3) / C(10, 3) = 1 - 35 / 120.
    expect(passAtK(10, 3, 3)).toBeCloseTo(1 - 35 / 120, 12);
  });

  it('is the share of right samples for k = 1, and 0 or 1 at the ends', () => {
    expect(passAtK(10, 3, 1)).toBeCloseTo(0.3, 12);
    expect(passAtK(10, 0, 5)).toBe(0);
    expect(passAtK(10, 10, 5)).toBe(1);
    expect(passAtK(10, 6, 5)).toBe(1);
    expect(passAtK(10, 1, 10)).toBe(1);
  });

  it('does not overflow', () => {
    expect(passAtK(10_000, 1, 5_000)).toBeCloseTo(0.5, 9);
  });

  it('is a mean over problems', () => {
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
  ])('is not defined for n %d, c %d, k %d', (samples, correct, k) => {
    expect(() => passAtK(samples, correct, k)).toThrow('is not defined');
  });
});

describe('pass@k of refinement', () => {
  // Two tasks of three samples: 1 and 0 right at first, 2 and 1 by the last iteration.
  const tasks = [
    [[ALL], [SOME, NONE, ALL], [VISIBLE]],
    [[SOME, NONE, NONE], [NONE, ALL], [VISIBLE]],
  ].map((samples) => samples.map((turns) => turns.map(results)));

  it('scores first and last programs on hidden tests, task by task', () => {
    // k = 1: (1/3 + 0) / 2, (2/3 + 1/3) / 2. k = 2: 1 of 3 is in 2 of the 3 pairs, 2 of 3 in all of them.
    const [first, two, three] = refinementPassAt(tasks, 3, [1, 2, 3]);
    expect([first.first, first.last]).toEqual([1 / 6, 1 / 2].map((share) => expect.closeTo(share, 12)));
    expect([two.first, two.last]).toEqual([1 / 3, 5 / 6].map((share) => expect.closeTo(share, 12)));
    expect(three).toEqual({ k: 3, first: 1 / 2, last: 1 });
  });

  it('is Iter-k for k = 1', () => {
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

  it('needs as many samples', () => {
    expect(() => refinementPassAt(tasks, 3, [4])).toThrow('pass@4 of 1 right among 3 samples is not defined');
  });
});

describe('controls of feedback', () => {
  const prompts = [1, 2, 3, 4].map((episode) => [10 + episode, 20 + episode, FEEDBACK, 30 + episode]);
  const fresh = [1, 2, 3, 4].map((episode) => [10 + episode]);
  const random = () => new CounterRandom(1, 6);

  it('do not change true feedback', () => {
    expect(controlledPrompts('true', prompts, fresh, random())).toBe(prompts);
  });

  it('start again from the plain prompt', () => {
    expect(controlledPrompts('retry', prompts, fresh, random())).toEqual(fresh);
  });

  it('keep the attempt and swap the feedback', () => {
    const shuffled = controlledPrompts('shuffled', prompts, fresh, random());
    expect(shuffled.map((prompt) => prompt.slice(0, 3))).toEqual(prompts.map((prompt) => prompt.slice(0, 3)));
    const given = shuffled.map((prompt) => prompt[3]);
    expect(given.toSorted()).toEqual([31, 32, 33, 34]);
    expect(given).not.toEqual([31, 32, 33, 34]);
  });

  it('take what a policy wrote for no feedback, and keep room for the next program', () => {
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
