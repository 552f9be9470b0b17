import { describe, expect, test } from 'vitest';
import { readArm } from '../../../../src/cli/commands/compare.ts';
import { comparisonSvg } from '../../../../src/cli/compare/comparisonSvg.ts';
import type { Experiment } from '../../../../src/environments/claim.ts';
import { armsOf, claimRuns, planOf, trainedArms } from '../../../../src/experiments/claims/claimRuns.ts';
import { EXPERT_PARAMETERS, expertValues, isExpert } from '../../../../src/experiments/compare/arms.ts';
import { budgetOf, comparisonTable } from '../../../../src/experiments/compare/comparisonTable.ts';
import { type ArmRun, runConfiguration } from '../../../../src/experiments/compare/findings.ts';
import { tablesOf } from '../../../../src/training/data/configurationTables.ts';
import { EXPERTS } from '../../../../src/training/run/imitation.ts';
import { turnwise } from '../../cli/cliTerminal.ts';

const repair = tablesOf('repair');
const experiment: Experiment = {
  ...{
    name: 'μCode',
    environment: 'repair',
    arms: ['murphy-mars', 'expert-iteration:samples=4'],
    steps: 50,
    tests: [],
  },
  ...{ seeds: 10, worlds: 20 },
};

describe('an arm of expert iteration', () => {
  test('an arm of expert iteration is read with its parameters, and its name lists them in a fixed order', () => {
    const arm = readArm(repair, 'expert-iteration:verifierSteps=200:samples=4:expert=tests');
    expect(arm).toEqual({
      name: 'expert-iteration:expert=tests:samples=4:verifierSteps=200',
      rule: 'expert-iteration',
      changes: { samples: 4, verifierSteps: 200, expert: 'tests' },
    });
    expect(isExpert(arm)).toBe(true);
    expect(isExpert(readArm(repair, 'murphy-mars'))).toBe(false);
    expect(expertValues(arm)).toMatchObject({ iterations: 2, samples: 4, expert: 'tests', learningRate: 1e-3 });
  });

  test('an arm of expert iteration throws an error for invalid parameters and without programs', () => {
    expect(() => readArm(repair, 'expert-iteration:gamma=1')).toThrow('unknown parameter "gamma"; known: iterations,');
    expect(() => readArm(repair, 'expert-iteration:samples=4:samples=5')).toThrow('sets samples twice');
    expect(() => readArm(repair, 'expert-iteration:samples=1')).toThrow('samples');
    expect(() => readArm(tablesOf('search'), 'expert-iteration')).toThrow(
      'imitates whole programs, and Search has none',
    );
  });

  test('an arm of expert iteration accepts each expert', () => {
    expect(EXPERT_PARAMETERS.find(({ name }) => name === 'expert')).toMatchObject({ options: EXPERTS });
  });

  test('an arm of expert iteration has the controls of grpo-mt, without its parameters', () => {
    const [, arm] = armsOf(experiment);
    const { controls, settings } = runConfiguration(planOf(experiment), arm, 2);
    expect(controls.rule).toBe('grpo-mt');
    expect('samples' in controls).toBe(false);
    expect([settings.worldSeed, settings.warmSeed]).toEqual([1, 1]);
  });

  test('an arm of expert iteration has no run on the page', () => {
    expect(trainedArms(experiment).map(({ name }) => name)).toEqual(['murphy-mars']);
    expect(claimRuns(experiment, [1, 2]).map(({ arm, seed }) => [arm.name, seed])).toEqual([
      ['murphy-mars', 1],
      ['murphy-mars', 2],
    ]);
  });

  test('an arm of expert iteration has measurements, no curves, and no effect on the update budget', () => {
    const arms = armsOf(experiment);
    const heldOut = { iter1: 0.4, iter3: 0.7, repairRate: 0.3 };
    const runs = arms.map((arm): ArmRun => {
      return {
        arm,
        seed: 1,
        digest: 'd',
        heldOut,
        series: isExpert(arm) ? {} : { turns: [174, 176], pass1: [0.3, 0.4], degenerate: [0.2, 0.3] },
      };
    });
    const findings = { plan: planOf(experiment), base: [], runs };
    const { columns, rows } = comparisonTable(findings, arms);
    const cell = (row: number, name: string) => rows[row].cells[columns.findIndex((column) => column.name === name)];
    expect(cell(1, 'iter3')).toMatchObject({ mean: 0.7 });
    expect(cell(1, 'turns')).toMatchObject({ mean: NaN });
    expect(budgetOf(findings, arms)).toMatchObject({ mean: 175, unequal: [] });
    const drawing = comparisonSvg({ ...findings, arms, device: 'made up' });
    expect([drawing.includes('murphy-mars'), /NaN|expert-iteration/.test(drawing)]).toEqual([true, false]);
  });
});

test('compare does not switch a run to expert iteration', async () => {
  const { code, err } = await turnwise(
    'compare --environment repair --rules murphy-mars,expert-iteration --switch 5 --steps 10 --seeds 1',
  );
  expect([code, err]).toEqual([2, expect.stringContaining('expert-iteration cannot switch (no updates)')]);
});
