import { describe, expect, test } from 'vitest';
import { prepared } from '../../../../src/cli/lab/work.ts';
import { armsOf, claimRuns } from '../../../../src/experiments/claims/claimRuns.ts';
import { ALL_CLAIMS } from '../../../../src/experiments/claims/readClaims.ts';
import { isExpert } from '../../../../src/experiments/compare/arms.ts';
import { runConfiguration } from '../../../../src/experiments/compare/findings.ts';

const experiments = ALL_CLAIMS.flatMap((claim) => claim.experiments.map((experiment) => ({ claim, experiment })));
const findExperiment = (id: string) => {
  const experiment = ALL_CLAIMS.find((claim) => claim.id === id)?.experiments[0];
  if (!experiment) throw new Error(`no ${id}`);
  return experiment;
};

describe('the runs of an experiment', () => {
  test('the page and the terminal have the same runs for each claim', () => {
    expect(experiments.length).toBeGreaterThan(20);
    for (const { claim, experiment } of experiments) {
      const { plan, arms } = prepared(claim, experiment);
      const trained = arms.filter((arm) => !isExpert(arm));
      const terminal = [1, 2].flatMap((seed) => trained.map((arm) => runConfiguration(plan, arm, seed)));
      expect(claimRuns(experiment, [1, 2]).map(({ configuration }) => configuration)).toEqual(terminal);
    }
  });

  test('runs of an experiment have a separate world per seed, and all arms of a seed precede the next seed', () => {
    const runs = claimRuns(findExperiment('t1'), [1, 2, 6]);
    expect(runs.map(({ seed }) => seed)).toEqual([1, 2, 6].flatMap((seed) => Array(6).fill(seed)));
    expect(runs.filter((_, at) => at % 6 === 0).map(({ configuration }) => configuration.settings.worldSeed)).toEqual([
      0, 1, 5,
    ]);
    expect(new Set(runs.map(({ steps }) => steps))).toEqual(new Set([120]));
  });

  test('runs continue after their switch for the number of updates that the experiment specifies', () => {
    const experiment = findExperiment('own-toggle');
    const runs = claimRuns(experiment, [1]);
    expect(runs).toHaveLength(armsOf(experiment).length);
    expect(runs.map(({ steps }) => steps).slice(0, 3)).toEqual([100, 120, 140]);
    expect(runs[0]?.configuration.schedule).toMatchObject([{ step: 20, changes: { rule: 'grpo-or' } }]);
  });

  test('only arms that the experiment names are switched, and each test of a switch has its runs', () => {
    expect(claimRuns(findExperiment('t12'), [1]).map(({ arm }) => arm.name)).toEqual([
      'mt-grpo>grpo-or:klCoef=0:outcomeMalformed=1:outcomeRight=1:outcomeWrong=1@60',
      'mt-grpo>grpo-or:klCoef=0.05:outcomeMalformed=1:outcomeRight=1:outcomeWrong=1@60',
    ]);
    for (const { experiment } of experiments) {
      for (const test of experiment.tests) {
        if (test.kind !== 'switch') continue;
        const prefix = `${test.from}>${test.to}@`;
        expect(armsOf(experiment).some(({ name }) => name.startsWith(prefix))).toBe(true);
      }
    }
  });
});
