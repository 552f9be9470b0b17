import { expect, test } from 'vitest';
import type { Claim } from '../../../../src/environments/claim.ts';
import type { ClaimResult } from '../../../../src/experiments/claims/claimResult.ts';
import { correctedTogether } from '../../../../src/experiments/claims/corrections.ts';

interface TestData {
  readonly probability: number;
  readonly primary?: true;
  readonly byArithmetic?: true;
}

/** A claim whose tests have these probabilities, each with a mean above its margin. */
const claimed = (paper: string | undefined, data: readonly TestData[], more: { edition?: 1; run?: false } = {}) => {
  const { edition, run = true } = more;
  const tests = data.map(({ probability: _, ...test }) => ({ kind: 'paired', asks: 'more', margin: 0.1, ...test }));
  const outcomes = data.map(({ probability }, index) => ({
    ...{ kind: 'paired', test: tests[index] },
    judgement: { status: 'holds', mean: 1, probability, reverse: 0, level: 0.05 },
  }));
  return [
    { paper, experiments: [{ tests }] },
    { experiments: [{ ...(edition ? { edition } : {}), outcomes: run ? outcomes : [] }] },
  ] as unknown as [Claim, ClaimResult];
};
const correctedOf = (results: Parameters<typeof correctedTogether>[0]) =>
  correctedTogether(results).map(([, { experiments }]) =>
    experiments[0].outcomes.map(({ corrected: { probability, status } }) => [Number(probability.toFixed(6)), status]),
  );

test('primary tests of a paper are corrected together by Holm, and those that are not run count too', () => {
  const primary = (probability: number) => [{ probability, primary: true }] as const;
  const papers = [claimed('T', primary(0.01)), claimed('T', primary(0.02)), claimed('M', primary(0.04))];
  expect(correctedOf(papers)).toEqual([[[0.02, 'holds']], [[0.02, 'holds']], [[0.04, 'holds']]]);
  const missing = claimed('T', primary(0.5), { run: false });
  expect(correctedOf([...papers, missing])).toEqual([[[0.03, 'holds']], [[0.04, 'holds']], [[0.04, 'holds']], []]);
});

test('other tests of a paper are corrected by their false discovery rate, and questions of the project apart', () => {
  const others = [{ probability: 0.01 }, { probability: 0.04 }, { probability: 0.2 }];
  expect(correctedOf([claimed('T', others), claimed(undefined, [{ probability: 0.04 }])])).toEqual([
    [
      [0.03, 'holds'],
      [0.06, 'open'],
      [0.2, 'open'],
    ],
    [[0.04, 'holds']],
  ]);
});

test('what holds by arithmetic, and what the first edition found, is corrected with nothing', () => {
  const arithmetic = { probability: 1, byArithmetic: true } as const;
  const first = claimed('T', [{ probability: 0.9 }], { edition: 1 });
  expect(correctedOf([claimed('T', [{ probability: 0.04 }, arithmetic]), first])).toEqual([
    [
      [0.04, 'holds'],
      [1, 'holds'],
    ],
    [[0.9, 'holds']],
  ]);
});
