import { describe, expect, test } from 'vitest';
import { readViewAddress } from '../../../../src/app/address/viewAddress.ts';
import { metricOf } from '../../../../src/app/curves/series.ts';
import { armTitle, claimCurve, curveLabel, valueNamed } from '../../../../src/app/lab/claimCurves.ts';
import { CLAIMS, claimsIn, curvesOf, type LabAddress, readLab, writeLab } from '../../../../src/app/lab/labClaims.ts';
import { armsOf } from '../../../../src/experiments/claims/claimRuns.ts';
import type { ReaderState } from '../../../../src/experiments/claims/conclusionText.ts';
import type { ClaimSummary } from '../../../../src/experiments/claims/plot.ts';
import { ALL_CLAIMS } from '../../../../src/experiments/claims/readClaims.ts';
import { metricsOf } from '../appFixtures.ts';
import { labClaim, labResult } from './labFixtures.ts';

describe('addresses of the Lab', () => {
  test.each<[LabAddress, string]>([
    [{ shows: 'overview' }, '#lab'],
    [{ shows: 'list', filter: {} }, '#lab/claims'],
    [{ shows: 'list', filter: { author: 'T' } }, '#lab/paper=t'],
    [{ shows: 'list', filter: { author: 'own', state: 'not run' } }, '#lab/paper=own/conclusion=not-run'],
    [{ shows: 'claim', id: 'own-toggle' }, '#lab/own-toggle'],
  ])('the Lab address %j is written as a hash and read as the same address', (address, hash) => {
    expect(writeLab(address)).toBe(hash);
    expect(readLab(readViewAddress(hash).path)).toEqual(address);
  });

  test('an unknown filter in a Lab address has no effect', () => {
    expect(readLab(['paper=x', 'mood=good', 'conclusion'])).toEqual({ shows: 'list', filter: {} });
    expect(readLab(['T1'])).toEqual({ shows: 'claim', id: 't1' });
    // An address of an earlier layout opens the notice of an unknown claim.
    expect(readLab(['summary'])).toEqual({ shows: 'claim', id: 'summary' });
  });
});

describe('the claims of the Lab', () => {
  test('the Lab has all claims under test, each with its summary from docs/reference/lab', () => {
    expect(CLAIMS.map(({ claim }) => claim.id)).toEqual(ALL_CLAIMS.map(({ id }) => id));
    expect(CLAIMS.filter(({ summary }) => summary === undefined)).toEqual([]);
    const t1 = CLAIMS.find(({ claim }) => claim.id === 't1');
    expect(t1?.summary?.seeds).toMatch(/^20\b/);
  });

  test('claims are filtered by paper and by conclusion', () => {
    const summary = (state: ReaderState): ClaimSummary => ({
      ...{ state, text: state, effect: '', tests: '', seeds: '5 of 20', missing: 0, hours: 0 },
    });
    const some = [
      { claim: { ...labClaim, id: 'a', paper: 'T' as const }, summary: summary('reproduced') },
      { claim: { ...labClaim, id: 'b', paper: 'T' as const }, summary: summary('not run') },
      { claim: { ...labClaim, id: 'c' }, summary: undefined },
      { claim: { ...labClaim, id: 'd' }, summary: summary('running') },
    ];
    const ids = (filter: Parameters<typeof claimsIn>[0]) => claimsIn(filter, some).map(({ claim }) => claim.id);
    expect(ids({})).toEqual(['a', 'b', 'c', 'd']);
    expect(ids({ author: 'T' })).toEqual(['a', 'b']);
    expect(ids({ author: 'own' })).toEqual(['c', 'd']);
    expect(ids({ state: 'reproduced' })).toEqual(['a']);
    expect(ids({ state: 'not run' })).toEqual(['b', 'c']);
    expect(ids({ author: 'T', state: 'running' })).toEqual([]);
  });

  test('the title of an arm lists every rule of a run with switches, and changed settings', () => {
    const titles = (id: string, experiment: string) =>
      ALL_CLAIMS.find((claim) => claim.id === id)
        ?.experiments.filter(({ name }) => name === experiment)
        .flatMap((each) => armsOf(each).map(armTitle));
    expect(titles('own-toggle', 'switches, open')).toEqual([
      'MT-GRPO, from update 40 GRPO-OR',
      'MT-GRPO, from update 60 GRPO-OR',
    ]);
    expect(titles('own-toggle', 'and back')).toEqual([
      'MT-GRPO, from update 40 GRPO-OR, from update 100 MT-GRPO',
      'MT-GRPO, from update 40 GRPO-OR, from update 140 MT-GRPO',
    ]);
    expect(titles('t12', 'no rewards after update 60')).toEqual([
      'MT-GRPO, from update 60 GRPO-OR klCoef=0 outcomeMalformed=1 outcomeRight=1 outcomeWrong=1',
      'MT-GRPO, from update 60 GRPO-OR klCoef=0.05 outcomeMalformed=1 outcomeRight=1 outcomeWrong=1',
    ]);
    expect(titles('own-absent', 'four turns')).toEqual(['MT-GRPO', 'MT-GRPO absent=zero']);
  });

  test('the curves of claims have labels, and the page reads their values from its metrics', () => {
    expect(curvesOf('search')).toEqual(['toolUse', 'answer']);
    expect(curveLabel('search', 'toolUse')).toBe('Tool use');
    expect(curvesOf('repair').map((name) => curveLabel('repair', name))).not.toContain('pass1');
    const row = metricsOf(0, { toolUse: 0.25, facts: { solved: 0.5 } } as never);
    expect([valueNamed(row, 'toolUse'), valueNamed(row, 'solved'), valueNamed(row, 'nothing')]).toEqual([
      0.25,
      0.5,
      NaN,
    ]);
  });
});

describe('a curve of the Lab', () => {
  const request = { arm: 'mt-grpo', title: 'MT-GRPO', name: 'toolUse', steps: 9 };
  const rows = (metrics: readonly { step: number }[], key: `fact:${string}`) =>
    metrics.map((row) => metricOf(row as never, key));

  test('a recorded curve has a row for each update by linear interpolation, and the range of the seeds', () => {
    const { chart, metrics } = claimCurve(labResult, request, []);
    expect(metrics.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(rows(metrics, 'fact:recorded').map((value) => value.toFixed(3))).toEqual([
      '0.500',
      '0.600',
      '0.700',
      '0.800',
      '0.900',
      '0.925',
      '0.950',
      '0.975',
      '1.000',
    ]);
    expect(rows(metrics, 'fact:low')[2]).toBeCloseTo(0.6, 9);
    expect(chart.band).toMatchObject({ low: 'fact:low', high: 'fact:high' });
    expect(chart.series.map(({ label }) => label)).toEqual(['recorded mean']);
  });

  test('runs of this page are drawn over the recorded curve, with the newest run bold', () => {
    const runs = [3, 5].map((seed) => ({
      seed,
      metrics: [metricsOf(0, { toolUse: seed / 10 }), metricsOf(1, { toolUse: 1 })],
    }));
    const { chart, metrics } = claimCurve(labResult, request, runs);
    expect(chart.series.map(({ label, thin }) => [label, thin ?? false])).toEqual([
      ['seed 3 here', true],
      ['seed 5 here', false],
      ['recorded mean', false],
    ]);
    expect(rows(metrics, 'fact:own3').slice(0, 3)).toEqual([0.3, 1, NaN]);
  });

  test('a recorded curve without a range is labelled, and a curve without data is empty', () => {
    const alternative = claimCurve(labResult, { ...request, arm: 'grpo-or' }, []);
    expect(alternative.chart.band).toBeUndefined();
    expect(alternative.chart.caption).toMatch(/^Recorded means only/);
    expect(claimCurve(labResult, { ...request, arm: 'ppo-or' }, []).metrics).toEqual([]);
  });
});
