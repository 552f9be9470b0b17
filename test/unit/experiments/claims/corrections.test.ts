import { expect, test } from 'vitest';
import type { Claim } from '../../../../src/environments/claim.ts';
import { CLAIM_FORMAT, type ClaimResult, type RunRecord } from '../../../../src/experiments/claims/claimResult.ts';
import { correctedTogether } from '../../../../src/experiments/claims/corrections.ts';
import { findClaims } from '../../../../src/experiments/claims/readClaims.ts';

interface TestData {
  readonly probability: number;
  readonly primary?: true;
  readonly byArithmetic?: true;
}

/** Creates a claim whose tests have these probabilities, each with a mean above its margin. */
const claimed = (paper: string | undefined, data: readonly TestData[], { run = true }: { run?: boolean } = {}) => {
  const tests = data.map(({ probability: _, ...test }) => ({
    kind: 'paired',
    hypothesis: 'more',
    margin: 0.1,
    ...test,
  }));
  const outcomes = data.map(({ probability }, index) => ({
    ...{ kind: 'paired', test: tests[index] },
    judgement: { status: 'holds', mean: 1, probability, reverse: 0, level: 0.05 },
  }));
  return [
    { paper, experiments: [{ environment: 'search', arms: [], seeds: 20, tests }] },
    { experiments: [{ outcomes: run ? outcomes : [] }] },
  ] as unknown as [Claim, ClaimResult];
};
const correctedOf = (results: Parameters<typeof correctedTogether>[0]) =>
  correctedTogether(results).map(([, { experiments }]) =>
    experiments[0].outcomes.map(({ corrected: { probability, status } }) => [Number(probability.toFixed(6)), status]),
  );

test('primary tests of a paper are corrected together by Holm, including tests without runs', () => {
  const primary = (probability: number) => [{ probability, primary: true }] as const;
  const papers = [claimed('T', primary(0.01)), claimed('T', primary(0.02)), claimed('M', primary(0.04))];
  expect(correctedOf(papers)).toEqual([[[0.02, 'holds']], [[0.02, 'holds']], [[0.04, 'holds']]]);
  const missing = claimed('T', primary(0.5), { run: false });
  expect(correctedOf([...papers, missing])).toEqual([[[0.03, 'holds']], [[0.04, 'holds']], [[0.04, 'holds']], []]);
});

test('secondary tests of a paper are corrected by false discovery rate, additional questions separately', () => {
  const tests = [{ probability: 0.01 }, { probability: 0.04 }, { probability: 0.2 }];
  expect(correctedOf([claimed('T', tests), claimed(undefined, [{ probability: 0.04 }])])).toEqual([
    [
      [0.03, 'holds'],
      [0.06, 'open'],
      [0.2, 'open'],
    ],
    [[0.04, 'holds']],
  ]);
});

test('a secondary test without all its seeds counts as a test with probability 1, and the claim has their number', () => {
  const incomplete = claimed('T', [{ probability: 0.02 }, { probability: 0.001 }]);
  Object.assign(incomplete[1].experiments[0].outcomes[1], { incomplete: true });
  const missing = claimed('T', [{ probability: 0.5 }], { run: false });
  expect(correctedOf([incomplete])[0][0]).toEqual([0.04, 'holds']);
  expect(correctedOf([incomplete, missing])[0][0]).toEqual([0.06, 'open']);
  const unfinished = correctedTogether([incomplete, missing]).map(([, result]) => result.unfinished);
  expect(unfinished).toEqual([1, 1]);
});

test('a result that holds by arithmetic is not corrected', () => {
  const arithmetic = { probability: 1, byArithmetic: true } as const;
  expect(correctedOf([claimed('T', [{ probability: 0.04 }, arithmetic])])).toEqual([
    [
      [0.04, 'holds'],
      [1, 'holds'],
    ],
  ]);
});

test('a primary test is open until all seeds are complete, and has the status of its interim analysis', () => {
  const [claim, result] = claimed('T', [{ probability: 0.01, primary: true }]);
  const interim = {
    ...result,
    experiments: result.experiments.map((experiment) => ({
      ...experiment,
      outcomes: experiment.outcomes.map((outcome) => ({ ...outcome, interim: true as const })),
    })),
  };
  const [[, { experiments }]] = correctedTogether([[claim, interim]]);
  expect(experiments[0].outcomes[0].corrected).toMatchObject({ status: 'open', interim: 'holds' });
});

test('the seeds of a claim are the seeds for which each arm of its primary test has a run', () => {
  const [claim] = findClaims('t3');
  const runs = (arm: string, seeds: number) =>
    Array.from({ length: seeds }, (_, seed) => ({ arm, seed: seed + 1 })) as unknown as RunRecord[];
  const seedsOf = (...all: readonly (readonly RunRecord[])[]) => {
    const experiments = [{ name: 'shortcut', runs: all.flat(), outcomes: [] }] as unknown as ClaimResult['experiments'];
    return correctedTogether([[claim, { ...CLAIM_FORMAT, id: 't3', experiments }]])[0][1].seeds;
  };
  expect(seedsOf(runs('mt-grpo', 12), runs('grpo-mr', 14), runs('ppo-mr', 1))).toEqual({ there: 12, of: 20 });
  expect(seedsOf(runs('mt-grpo', 12))).toEqual({ there: 0, of: 20 });
});
