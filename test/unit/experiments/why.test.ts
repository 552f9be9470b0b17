import { describe, expect, test } from 'vitest';
import { SEARCH_TURNS } from '../../../src/environments/search/searchFacts.ts';
import { casesOf } from '../../../src/environments/watchedTurns.ts';
import { type DecidedUpdate, type WhySpan, watchedIn, whyRows, whySpans } from '../../../src/experiments/why.ts';
import { whySentences } from '../../../src/experiments/whySentences.ts';

const WATCHED = { watchedTurns: SEARCH_TURNS, momentum: 0.9 };
const ALTERNATIVE = 'MT-GRPO';

const ZEROS = Object.fromEntries(
  casesOf(SEARCH_TURNS).flatMap(({ name }) => ['Count', 'Credit', 'Compared'].map((suffix) => [`${name}${suffix}`, 0])),
);

function update(step: number, rule: string, searchProbability: number, decision: object): DecidedUpdate {
  const rest = { tiedCount: 0, push: 0, pushNoise: 0.01, probabilityNoise: 0.001 };
  return { step, rule, searchProbability, decision: { ...ZEROS, ...rest, ...decision } };
}

/** Counts of rollouts with a search and of rollouts without a search. */
const SOME = { retrievedCount: 20, skippedWrongCount: 20 };

const RUN = [
  update(0, 'mt-grpo', 0.5, {
    retrievedCount: 60,
    retrievedCredit: 30,
    retrievedCompared: -6,
    skippedWrongCount: 40,
    skippedWrongCredit: -20,
    push: 0.2,
  }),
  update(1, 'mt-grpo', 0.6, {
    retrievedCount: 80,
    retrievedCredit: 40,
    retrievedCompared: -8,
    skippedWrongCount: 20,
    skippedWrongCredit: -10,
    push: 0.1,
  }),
  update(2, 'grpo-or', 0.9, {
    retrievedCount: 90,
    retrievedCredit: -9,
    skippedRightCount: 10,
    skippedRightCredit: 26,
    push: -0.3,
    tiedCount: 60,
  }),
  update(3, 'grpo-or', 0.8, {
    retrievedCount: 80,
    retrievedCredit: -8,
    skippedRightCount: 20,
    skippedRightCredit: 52,
    push: -0.2,
    tiedCount: 60,
  }),
];

/** Returns the effect of a span on the probability of a search. */
function decidedOf({ decided }: WhySpan) {
  if (!decided) throw new Error('nothing was decided');
  return decided;
}

describe('causes of changes in a run', () => {
  const spans = whySpans(WATCHED, RUN);

  test('causes are reported for each span between two changes of the rule', () => {
    expect(spans.map(({ from, to, rule }) => [from, to, rule])).toEqual([
      [0, 1, 'mt-grpo'],
      [2, 3, 'grpo-or'],
    ]);
    const [first, second] = spans;
    expect(first.kinds[0]).toMatchObject({
      title: 'Executed searches',
      count: 140,
      meanAdvantage: 0.5,
      compared: -0.1,
    });
    expect(first.kinds[1]).toMatchObject({ title: 'Malformed calls', count: 0 });
    expect(first.kinds[2]).toMatchObject({ title: 'Skipped searches', count: 60, meanAdvantage: -0.5 });
    expect(first.count).toBe(200);
    expect(first.decided?.probability).toEqual([0.5, 0.9]);
    const [right] = second.kinds[2].cases;
    expect(right).toMatchObject({ name: 'skippedRight', count: 30, meanAdvantage: 2.6 });
    expect(second.tied).toBe(0.6);
    expect(second.decided?.push).toBeCloseTo(-0.5, 12);
    expect(second.decided?.pushNoise).toBeCloseTo(Math.SQRT2 * 0.01, 12);
  });

  test('a span reports in how many updates the push and the following change have the same sign', () => {
    expect(spans.map(decidedOf).map(({ updates, agreed }) => [updates, agreed])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    const wrong = [RUN[0], { ...RUN[1], searchProbability: 0.4 }];
    expect(decidedOf(whySpans(WATCHED, wrong)[0])).toMatchObject({ updates: 1, agreed: 0 });
    const lost = [update(0, 'mt-grpo', 0.5, { ...SOME, push: 0.001 }), update(1, 'mt-grpo', 0.5005, SOME)];
    expect(decidedOf(whySpans(WATCHED, lost)[0]).updates).toBe(0);
    const sparse = [{ ...RUN[0], decision: { ...RUN[0].decision, skippedWrongCount: 4 } }, RUN[1]];
    expect(decidedOf(whySpans(WATCHED, sparse)[0]).updates).toBe(0);
    const gap = [RUN[0], { ...RUN[1], step: 5 }];
    expect(decidedOf(whySpans(WATCHED, gap)[0]).updates).toBe(0);
  });

  test('a span lists for each update its push, the following change, and whether both have the same sign', () => {
    const [first, second] = spans.map(decidedOf);
    expect(first.moves.map(({ step, agrees }) => [step, agrees])).toEqual([
      [0, true],
      [1, true],
    ]);
    expect(first.moves.map(({ change }) => change)).toEqual(
      [RUN[1], RUN[2]].map((next, at) => (next.searchProbability ?? NaN) - (RUN[at].searchProbability ?? NaN)),
    );
    // AdamW moves by a tenth of the first push.
    expect(first.moves[0].move).toBeCloseTo(0.1 * (RUN[0].decision?.push ?? NaN), 12);
    expect(second.moves.at(-1)).toMatchObject({ step: 3, change: NaN, agrees: undefined });
  });

  test('a span is described in sentences with its numbers', () => {
    expect(whySentences(spans[1], 'rollouts', { active: 'GRPO-OR', compared: ALTERNATIVE })).toEqual([
      'Updates 2 to 3 under GRPO-OR: executed searches had a mean advantage of −0.10 and skipped searches +2.60; there were no malformed calls.',
      'The updates made searching less likely; its probability went from 0.90 to 0.80.',
      'The largest part came from 15 % of the rollouts, where the answer was correct: mean advantage +2.60.',
      '60 % of the rollouts were in groups with identical rewards, so they gave no gradient.',
    ]);
    const [all] = whySpans(WATCHED, [update(7, 'rtmc', 1, { retrievedCount: 5, retrievedCredit: 0 })]);
    expect(whySentences(all, 'rollouts', { active: 'RTMC', compared: ALTERNATIVE })).toEqual([
      'Update 7 under RTMC: executed searches had a mean advantage of +0.00; there were no malformed calls and no skipped searches.',
      'The updates had no clear effect on searching; its probability went from 1.00 to 1.00.',
    ]);
  });

  test('a span distinguishes malformed, executed and skipped searches, and predicts the start of a call', () => {
    const broken = { malformedCount: 60, malformedCredit: -6, retrievedCount: 2, retrievedCredit: 1 };
    const skipped = { skippedRightCount: 38, skippedRightCredit: 19 };
    const rows = [0.7, 0.6].map((p, at) => update(at, 'grpo-or', p, { ...broken, ...skipped, push: -0.2 }));
    const [span] = whySpans(WATCHED, rows);
    // The two executed searches are fewer than five, but the malformed calls also start a search.
    expect(decidedOf(span)).toMatchObject({ updates: 1, agreed: 1 });
    expect(whySentences(span, 'rollouts', { active: 'GRPO-OR', compared: ALTERNATIVE })).toEqual([
      'Updates 0 to 1 under GRPO-OR: executed searches had a mean advantage of +0.50, malformed calls −0.10, and skipped searches +0.50.',
      'The updates made searching less likely; its probability went from 0.70 to 0.60.',
      // Weights at p = .7: malformed 60 (-.1) .3 (-1) = 1.8, skipped and correct 38 (.5) (-.7) (-1) = 13.3.
      'The largest part came from 38 % of the rollouts, where the answer was correct: mean advantage +0.50.',
    ]);
    expect(whyRows(span).map(({ label, count }) => [label, count])).toEqual([
      ['Executed searches', 4],
      ['the document held the answer', 4],
      ['the document was out of date', 0],
      ['the document was of something else', 0],
      ['Malformed calls', 120],
      ['Skipped searches', 76],
      ['the answer was correct', 76],
      ['the answer was incorrect', 0],
    ]);
  });

  test('a span includes the momentum of AdamW from earlier updates', () => {
    const before = Array.from({ length: 8 }, (_, step) =>
      update(step, 'mt-grpo', 0.5 + step / 100, { ...SOME, push: 0.3 }),
    );
    const after = [0.6, 0.61, 0.62].map((p, at) => update(8 + at, 'grpo-or', p, { ...SOME, push: -0.3 }));
    const span = whySpans(WATCHED, [...before, ...after])[1];
    // 0.3 (1 - 0.9^8) = 0.171, then 0.9 of it and 0.1 of -0.3, three times.
    expect(decidedOf(span).moved).toBeCloseTo(0.1238 + 0.0814 + 0.0432, 3);
    expect([decidedOf(span).updates, decidedOf(span).agreed]).toEqual([2, 2]);
    expect(whySentences(span, 'rollouts', { active: 'GRPO-OR', compared: ALTERNATIVE })).toContain(
      'The momentum of AdamW still carried earlier updates.',
    );
  });

  test('causes are available only for runs that store decisions', () => {
    expect(watchedIn(RUN)).toMatchObject(WATCHED);
    expect(watchedIn(RUN.map((row) => ({ ...row, decision: null })))).toBeUndefined();
    expect(watchedIn([])).toBeUndefined();
  });
});
