import { describe, expect, test } from 'vitest';
import { REPAIR_TURNS } from '../../../src/environments/repair/index.ts';
import { REPO_TURNS } from '../../../src/environments/repo/index.ts';
import { casesOf, type WatchedTurns } from '../../../src/environments/watchedTurns.ts';
import { type DecidedUpdate, watchedIn, whyRows, whySpans } from '../../../src/experiments/why.ts';
import { whyBrief, whySentences } from '../../../src/experiments/whySentences.ts';

const TITLES = { active: 'VeRPO', compared: 'GRPO-MT' };

function update(watched: WatchedTurns, step: number, decision: object): DecidedUpdate {
  const keys = casesOf(watched).flatMap(({ name }) =>
    ['Count', 'Credit', 'Compared'].map((suffix) => `${name}${suffix}`),
  );
  const nothing = Object.fromEntries(keys.map((key) => [key, 0]));
  return { step, rule: 'verpo', searchProbability: null, decision: { ...nothing, tiedCount: 0, ...decision } };
}

const PROGRAMS = [
  update(REPAIR_TURNS, 0, { firstPassedCount: 6, firstPassedCredit: 3, firstPassedCompared: 0.6 }),
  update(REPAIR_TURNS, 1, {
    ...{ firstPassedCount: 4, firstPassedCredit: 1, firstPassedCompared: 0.4 },
    ...{ firstRepairedCount: 5, firstRepairedCredit: 0.5, firstRepairedCompared: -1 },
    ...{ firstLostCount: 5, firstLostCredit: -4, firstLostCompared: -2 },
    tiedCount: 10,
  }),
];

describe('environments without a deciding token', () => {
  const watched = watchedIn(PROGRAMS);
  const [span] = whySpans({ watchedTurns: REPAIR_TURNS, momentum: 0.9 }, PROGRAMS);

  test('a run without a deciding token is described without a prediction', () => {
    expect(watched?.watchedTurns).toBe(REPAIR_TURNS);
    expect(span.decided).toBeUndefined();
    expect(span.count).toBe(20);
    expect(span.tied).toBe(0.5);
  });

  test('each kind is reported with its results and the cases in which the other rule has the opposite sign', () => {
    expect(whySentences(span, 'programs', TITLES)).toEqual([
      // (4 + .5 - 4) / 20, 4 / 10, .5 / 5, -4 / 5.
      'Updates 0 to 1 under VeRPO: first programs had a mean advantage of +0.03: +0.40 where all tests passed; ' +
        '+0.10 where a test failed, and a later program passed all; −0.80 where a test failed, and no later program passed all.',
      'There were no repairs.',
      'GRPO-MT gives the opposite sign: −0.20 instead of +0.10 where a test failed, and a later program passed all, ' +
        'in 25 % of the programs.',
      '50 % of the programs were in groups with identical rewards, so they gave no gradient.',
    ]);
  });

  test('at most two cases of opposite sign under the other rule are reported, the most frequent first', () => {
    const contrary = (name: string, count: number) => ({
      [`${name}Count`]: count,
      [`${name}Credit`]: count,
      [`${name}Compared`]: -2 * count,
    });
    const [steps] = whySpans({ watchedTurns: REPO_TURNS, momentum: 0.9 }, [
      update(REPO_TURNS, 0, { ...contrary('fixed', 10), ...contrary('shown', 60), ...contrary('invalid', 30) }),
    ]);
    expect(whySentences(steps, 'steps', TITLES)[3]).toBe(
      'GRPO-MT gives the opposite sign: −2.00 instead of +1.00 where it viewed code with a bug, in 60 % of the ' +
        'steps; −2.00 instead of +1.00 where the action was invalid, in 30 % of the steps.',
    );
  });

  test('a value that rounds to zero is not a contrast, and has no minus sign', () => {
    const [steps] = whySpans({ watchedTurns: REPO_TURNS, momentum: 0.9 }, [
      update(REPO_TURNS, 3, { remainingStepCount: 100, remainingStepCredit: 40, remainingStepCompared: -0.4 }),
    ]);
    expect(whySentences(steps, 'steps', TITLES)).toEqual([
      'Update 3 under VeRPO: there were no helpful steps.',
      'There were no harmful steps.',
      'Neutral steps had a mean advantage of +0.40: +0.40 where it took another action.',
    ]);
    const [neutral] = whySpans({ watchedTurns: REPO_TURNS, momentum: 0.9 }, [
      update(REPO_TURNS, 3, { remainingStepCount: 100, remainingStepCredit: -0.4 }),
    ]);
    expect(whySentences(neutral, 'steps', TITLES)[2]).toContain('had a mean advantage of +0.00');
  });

  test('steps in states that rollouts share are reported with their advantage size, regardless of the sign', () => {
    const [steps] = whySpans({ watchedTurns: REPO_TURNS, momentum: 0.9 }, [
      update(REPO_TURNS, 0, {
        ...{ remainingStepCount: 8, size: 1, comparedSize: 4 },
        ...{ metCount: 2, metSize: 0.7, metComparedSize: 1 },
      }),
    ]);
    // .7 / 2 and .3 / 6; 1 / 2 and 3 / 6.
    expect(whySentences(steps, 'steps', TITLES).at(-1)).toBe(
      'In 25 % of the steps another rollout of the group visited the same state: ' +
        'VeRPO gave ±0.35 there and ±0.05 elsewhere, GRPO-MT gave ±0.50 there and ±0.50 elsewhere.',
    );
  });

  test('rows of a span have counts and shares', () => {
    const rows = whyRows(span).map(({ label, sum, count, share }) => [label, sum, count, share]);
    expect(rows.slice(0, 3)).toEqual([
      ['First programs', true, 20, 1],
      ['all tests passed', false, 10, 0.5],
      ['a test failed, and a later program passed all', false, 5, 0.25],
    ]);
    expect(rows).toHaveLength(10);
  });

  test('the brief line of a span lists results for programs, and kinds for steps', () => {
    const line = whyBrief(span).map(({ name, meanAdvantage }) => [name, meanAdvantage]);
    expect(line).toEqual([
      ['Right at once', 0.4],
      ['repaired later', 0.1],
      ['never right', -0.8],
    ]);
    const [steps] = whySpans({ watchedTurns: REPO_TURNS, momentum: 0.9 }, [
      update(REPO_TURNS, 0, { fixedCount: 2, fixedCredit: 1 }),
    ]);
    expect(whyBrief(steps).map(({ name, meanAdvantage }) => [name, meanAdvantage])).toEqual([
      ['Helpful steps', 0.5],
      ['harmful steps', NaN],
      ['neutral steps', NaN],
    ]);
  });
});
