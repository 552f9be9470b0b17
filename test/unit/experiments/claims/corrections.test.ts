import { expect, test } from 'vitest';
import type { Claim } from '../../../../src/environments/claim.ts';
import type { ClaimResult } from '../../../../src/experiments/claims/claimResult.ts';
import { correctedTogether } from '../../../../src/experiments/claims/corrections.ts';

/** A claim of a paper, or a finding of our own, whose tests have these probabilities. */
const claimed = (paper: string | undefined, ...probabilities: number[]) => {
  const outcomes = probabilities.map((probability) => ({
    kind: 'paired',
    judgement: { status: 'appears', probability },
  }));
  return [{ paper }, { experiments: [{ outcomes }, { outcomes: [{ kind: 'counted' }] }] }] as unknown as [
    Claim,
    ClaimResult,
  ];
};
const told = (results: readonly (readonly [Claim, ClaimResult])[]) =>
  results.map(([, { experiments }]) =>
    experiments[0].outcomes.map((one) => one.kind === 'paired' && [one.corrected.probability, one.corrected.status]),
  );

test('the tests of a paper are corrected together over all of its claims, and findings of our own apart', () => {
  const results = correctedTogether([
    claimed('T', 0.01, 0.02),
    claimed('M', 0.03),
    claimed('T', 0.03),
    claimed(undefined, 0.04),
  ]);
  expect(told(results)).toEqual([
    [
      [0.03, 'appears'],
      [0.04, 'appears'],
    ],
    [[0.03, 'appears']],
    [[0.04, 'appears']],
    [[0.04, 'appears']],
  ]);
  expect(results[0][1].experiments[1].outcomes).toEqual([{ kind: 'counted' }]);
});

test('a correction over a part of them is made again over all', () => {
  const alone = [...correctedTogether([claimed('T', 0.03)]), ...correctedTogether([claimed('T', 0.04)])];
  expect(told(alone)).toEqual([[[0.03, 'appears']], [[0.04, 'appears']]]);
  expect(told(correctedTogether(alone))).toEqual([[[0.06, 'undecided']], [[0.06, 'undecided']]]);
});
