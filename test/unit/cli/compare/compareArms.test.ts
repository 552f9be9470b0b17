import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArm } from '../../../../src/cli/commands/compare.ts';
import { type ComparisonFile, comparisonJson, readComparison } from '../../../../src/cli/compare/comparisonFile.ts';
import { comparisonSvg } from '../../../../src/cli/compare/comparisonSvg.ts';
import { comparisonMarkdown, comparisonText } from '../../../../src/cli/compare/comparisonText.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import type { Arm } from '../../../../src/experiments/compare/arms.ts';
import {
  budgetOf,
  comparisonTable,
  type SummaryStatistics,
} from '../../../../src/experiments/compare/comparisonTable.ts';
import {
  type ArmRun,
  type ComparisonPlan,
  meanOf,
  missingRuns,
  runConfiguration,
  updatesTo,
} from '../../../../src/experiments/compare/findings.ts';
import type { EnvironmentName } from '../../../../src/training/data/configuration.ts';
import {
  checkConfiguration,
  defaultConfiguration,
  tablesOf,
} from '../../../../src/training/data/configurationTables.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder } = temporaryFolder();

const STEPS = 8;

function planOf(environment: EnvironmentName): ComparisonPlan {
  const { settings, controls } = defaultConfiguration(environment);
  const { rule: _, ...shared } = controls;
  return {
    ...{ configurationVersion: 1, environment, steps: STEPS, settings, controls: shared },
    ...{
      freshWarmStart: false,
      worlds: 1,
      measuring: { samples: 4, problems: 0, temperature: 0.6, topP: 0.95, topK: 0 },
    },
  };
}

const arm = (environment: EnvironmentName, name: string) => readArm(tablesOf(environment), name);

/**
 * Returns a synthetic run. Its curves are constant, except ties, which are 0.4 in the first half and 0.6 in the second
 * half.
 */
function repairRun(of: Arm, seed: number, iter3: number, turns = 176): ArmRun {
  const level = (value: number) => Array.from({ length: STEPS }, () => value);
  const series = {
    ...{ degenerate: [...level(0.4).slice(4), ...level(0.6).slice(4)], retained: level(0.5), turns: level(turns) },
    ...{ stepMs: level(100), generateMs: level(60), executeMs: level(10), updateMs: level(40), pass1: level(0.5) },
  };
  return { arm: of, seed, digest: 'd', heldOut: { iter1: 0.4, iter3, repairRate: 0.3 }, series };
}

/**
 * Returns a comparison of Repair arms.
 * @param iter3 [seeds] Iter-3 of each arm, by name
 * @param turns turns per update of each arm, by name; 176 by default
 */
function repairFile(
  iter3: Readonly<Record<string, readonly number[]>>,
  turns: Record<string, number> = {},
): ComparisonFile {
  const arms = Object.keys(iter3).map((name) => arm('repair', name));
  const runs = arms.flatMap((of) =>
    iter3[of.name].map((value, index) => repairRun(of, index + 1, value, turns[of.name])),
  );
  const base = [1, 2].map((seed) => ({
    ...{ seed, digest: 'd', measured: { iter1: 0.3 + seed / 50, iter3: 0.6, repairRate: 0.4 } },
  }));
  return { plan: planOf('repair'), base, runs, arms, device: 'made up' };
}

describe('an arm', () => {
  test('an arm has a rule and parameters, under their names in the rule or as controls', () => {
    expect(arm('repair', 'grpo-mt')).toEqual({ name: 'grpo-mt', rule: 'grpo-mt', changes: {} });
    expect(arm('repair', 'verpo:norm=std:learningRate=2e-4')).toEqual({
      name: 'verpo:learningRate=0.0002:norm=std',
      rule: 'verpo',
      changes: { verpoNorm: 'std', learningRate: 2e-4 },
    });
    expect(arm('repair', 'verpo:verpoNorm=std').name).toBe('verpo:norm=std');
    expect(arm('repair', 'murphy-mars:inter=2/1').changes).toEqual({ inter: '2/1' });
    expect(arm('repo', 'rtmc:granularity=coarse:kappa=0').changes).toEqual({ granularity: 'coarse', kappa: 0 });
  });

  test('the run of an arm is a valid configuration, in which changes of the arm override shared values', () => {
    const plan = { ...planOf('repair'), controls: { ...planOf('repair').controls, learningRate: 1e-3 } };
    const run = runConfiguration(plan, arm('repair', 'verpo:norm=std:learningRate=2e-4'), 3);
    expect(checkConfiguration(run)).toEqual(run);
    expect([run.seed, run.controls.rule, run.controls.verpoNorm, run.controls.learningRate]).toEqual([
      3,
      'verpo',
      'std',
      2e-4,
    ]);
    expect(runConfiguration(plan, arm('repair', 'verpo'), 3).controls.learningRate).toBe(1e-3);
  });

  test('an arm can have separate settings that do not affect the warm start', () => {
    const single = arm('repair', 'verpo:maxTurns=1:trainProblems=75');
    expect(single).toEqual({
      name: 'verpo:maxTurns=1:trainProblems=75',
      ...{ rule: 'verpo', changes: { maxTurns: 1, trainProblems: 75 } },
    });
    const { settings, controls } = runConfiguration({ ...planOf('repair'), worlds: 5 }, single, 3);
    expect([settings.maxTurns, settings.trainProblems, settings.worldSeed, settings.warmSeed]).toEqual([1, 75, 2, 2]);
    expect(['maxTurns', 'trainProblems'].filter((name) => name in controls)).toEqual([]);
    for (const name of ENVIRONMENTS.repair.armSettings ?? [])
      expect(ENVIRONMENTS.repair.afterWarmStart).toContain(name);
  });

  test.each([
    ['repair --switch 5 --rules verpo,verpo:maxTurns=1', 'maxTurns applies to every arm'],
    ['repair --rules verpo:maxTurns=9', 'maxTurns: "9" is not a whole number from 1 to 4'],
    ['repair --rules mt-grpo', '--rules: "mt-grpo" is not one of grpo-mt, grpo-or'],
    ['repair --rules verpo:norm', '--rules: "norm" of verpo:norm is not NAME=VALUE'],
    ['repair --rules verpo:kappa=1', '--rules: verpo has no parameter "kappa"; known: alpha'],
    ['repair --rules verpo:norm=huge', 'verpoNorm: "huge" is not one of'],
    ['repair --rules verpo:prior=flat', 'prior applies to every arm; pass it as --prior'],
    ['repair --rules verpo:norm=std:verpoNorm=std', 'sets verpoNorm twice'],
    ['repair --rules verpo,grpo-mt,verpo', 'names verpo twice'],
    ['repo --rules rtmc:kappa=-1', 'kappa: "-1" is not a number'],
    ['repair --svg nowhere/a.svg', '--svg: there is no folder'],
    ['repair --repairShare 0.13', 'warm-start --environment repair --repairShare 0.13'],
  ])('compare --environment %s is rejected with exit code 2', async (line, message) => {
    await expectRejected(`compare --json ${join(folder, 'none.json')} --environment ${line}`, message);
  });

  test('the help of compare describes arms and the rules of the environment', async () => {
    const out = (await turnwise('compare --environment repair --help')).out.replace(/\s+/g, ' ');
    for (const text of [
      'RULE:NAME=VALUE',
      'default grpo-mt,murphy-mars,murphy-mers,verpo',
      'default compare-repair.json',
    ]) {
      expect(out).toContain(text);
    }
    expect(out).toContain('--worlds');
    expect((await turnwise('compare --environment bandit --help')).out).not.toContain('--worlds');
    for (const flag of ['--freshWarmStart', '--checkpoint x']) {
      await expectRejected(
        `compare --json ${join(folder, 'none.json')} --worlds 2 ${flag}`,
        '--worlds 2: each world has its own warm start; leave out',
      );
    }
  });
});

describe('the table of the Repair environment', () => {
  const file = repairFile({ 'grpo-mt': [0.7, 0.72], 'murphy-mars:inter=2': [0.6, 0.68] });

  test('the table of a Repair comparison has means and deviations over seeds, with the base first', () => {
    const { columns, rows } = comparisonTable(file, file.arms);
    const at = (row: number, name: string) =>
      rows[row].cells[columns.findIndex((column) => column.name === name)] as SummaryStatistics;
    expect(rows.map(({ name, seeds }) => [name, seeds])).toEqual([
      ['base', 2],
      ['grpo-mt', 2],
      ['murphy-mars:inter=2', 2],
    ]);
    expect(at(0, 'iter1').mean).toBeCloseTo(0.33);
    expect(at(0, 'iter1').deviation).toBeCloseTo(0.02 / Math.SQRT2);
    expect(at(0, 'degenerate:first').count).toBe(0);
    expect(at(2, 'iter3')).toEqual({
      mean: expect.closeTo(0.64),
      deviation: expect.closeTo(0.08 / Math.SQRT2),
      count: 2,
    });
    expect([at(1, 'degenerate:first').mean, at(1, 'degenerate:last').mean]).toEqual([
      expect.closeTo(0.4),
      expect.closeTo(0.6),
    ]);
    expect(['generating', 'executing', 'updating'].map((name) => at(1, name).mean)).toEqual(
      [0.5, 0.1, 0.4].map((x) => expect.closeTo(x)),
    );
  });

  test('the table of a Repair comparison is printed as text and Markdown, with changed settings', () => {
    const text = comparisonText(file);
    expect(text).toMatch(/^base +2 +33\.0 ± 1\.4 +60\.0 ± 0\.0 +0\.40 ± 0\.00 +-/m);
    expect(text).toMatch(/^grpo-mt +2 +40\.0 ± 0\.0 +71\.0 ± 1\.4/m);
    expect(text).not.toMatch(/NaN|undefined|Changed from the standard/);
    expect(comparisonMarkdown(file)).toContain('| murphy-mars:inter=2 | 2 | 40.0 ± 0.0 | 64.0 ± 5.7 |');
    const changed = { ...file, plan: { ...file.plan, settings: { ...file.plan.settings, repairShare: 0.13 } } };
    expect(comparisonText(changed)).toContain('Changed from the standard run, for all arms: repairShare 0.13.');
  });

  test('a comparison report states if the arms generated equal numbers of programs', () => {
    expect(budgetOf(file, file.arms)).toEqual({ title: 'programs an update', mean: 176, unequal: [] });
    expect(comparisonText(file)).toContain('Budget: programs an update are equal, to 5 % (mean 176).');
    const uneven = repairFile({ 'grpo-mt': [0.7], verpo: [0.7] }, { verpo: 144 });
    expect(comparisonText(uneven)).toContain('NOT equal. Mean 160; more than 5 % off: grpo-mt 176, verpo 144.');
  });

  test('updates to a solved share are counted on a smoothed curve', () => {
    expect(updatesTo(Array(20).fill(0.7), 0.8)).toBeNaN();
    // The nine updates around 14 are 10 to 18: (4 * 0.6 + 5) / 9 = 0.82; around 13 it is (5 * 0.6 + 4) / 9 = 0.78.
    expect(updatesTo([...Array(14).fill(0.6), ...Array(9).fill(1)], 0.8)).toBe(14);
    expect(meanOf({ series: { zeroAdvantage: [null, 0.2, 0.4] } } as unknown as ArmRun, 'zeroAdvantage')).toBeCloseTo(
      0.3,
    );
  });
});

describe('the comparison file of Repair', () => {
  const json = join(folder, 'found.json');
  const file = repairFile({ 'grpo-mt': [0.7, 0.72], verpo: [0.7] });

  test('a comparison file has the findings with table and conclusions, and can be continued', () => {
    writeFileSync(json, comparisonJson(file));
    const again = readComparison(json, file.plan);
    expect(again).toEqual(file);
    expect(missingRuns(again, file.arms, [1, 2]).map(({ arm: { name }, seed }) => [name, seed])).toEqual([
      ['verpo', 2],
    ]);
    const saved = JSON.parse(readFileSync(json, 'utf8'));
    expect([saved.table.rows.length, saved.budget.unequal, saved.conclusions.length > 0]).toEqual([3, [], true]);
  });

  test('the file of another comparison is rejected', () => {
    writeFileSync(json, comparisonJson(file));
    expect(() => readComparison(json, { ...file.plan, steps: 9 })).toThrow(
      'has the results of another comparison (steps 8, not 9)',
    );
    for (const text of ['{}', 'null', '{"format":"turnwise-comparison"}', '{']) {
      writeFileSync(json, text);
      expect(() => readComparison(json, file.plan)).toThrow('name another file with --json');
    }
    expect(readComparison(join(folder, 'absent.json'), file.plan).runs).toEqual([]);
  });

  const [run] = file.runs;
  test.each([
    [{ runs: [null] }, 'runs[0] is null, not an object'],
    [{ runs: [run, { ...run, arm: undefined }] }, 'runs[1].arm is missing'],
    [{ runs: [{ ...run, arm: { ...run.arm, changes: { kappa: null } } }] }, 'runs[0].arm.changes.kappa is null, not'],
    [{ runs: [{ ...run, heldOut: { iter1: 'x' } }] }, 'runs[0].heldOut.iter1 is "x", not a number or null'],
    [{ runs: [{ ...run, series: { turns: 3 } }] }, 'runs[0].series.turns is 3, not a list'],
    [{ base: [{ seed: 1.5 }] }, 'base[0].seed is 1.5, not a whole number from 0'],
    [{ runs: [{ ...run, digest: 7 }] }, 'runs[0].digest is 7, not a text'],
    [{ arms: [{ ...run.arm, rule: 'x' }] }, 'arms[0].rule is "x", not a credit rule'],
  ])('a comparison file of Repair with an invalid entry is rejected: %#', (parts, problem) => {
    writeFileSync(json, comparisonJson(file));
    writeFileSync(json, JSON.stringify({ ...JSON.parse(readFileSync(json, 'utf8')), ...parts }));
    expect(() => readComparison(json, file.plan)).toThrow(`is not a valid comparison file: ${problem}`);
  });

  test('a control that is missing in a comparison file has its default value', () => {
    const { heldOutMode: _, ...controls } = file.plan.controls;
    writeFileSync(json, comparisonJson({ ...file, plan: { ...file.plan, controls } }));
    expect(readComparison(json, file.plan).plan).toEqual(file.plan);
    const plan = { ...file.plan, controls: { ...file.plan.controls, heldOutMode: 'on' } };
    expect(() => readComparison(json, plan)).toThrow('(controls.heldOutMode "auto", not "on"');
  });

  test('a setting that is missing in a comparison file has its default value', () => {
    const { repairs, ...settings } = file.plan.settings;
    writeFileSync(json, comparisonJson({ ...file, plan: { ...file.plan, settings } }));
    expect(readComparison(json, file.plan).runs).toEqual(file.runs);
    const plan = { ...file.plan, settings: { ...settings, repairs: 'uniform' } };
    expect(() => readComparison(json, plan)).toThrow(`(settings.repairs "${repairs}", not "uniform"`);
  });

  test('a measuring option that is missing in a comparison file has its earlier value', () => {
    const plan = { ...file.plan, measuring: { ...file.plan.measuring, iterations: 3, strata: 0 } };
    writeFileSync(json, comparisonJson(file));
    expect(readComparison(json, plan).runs).toEqual(file.runs);
    const five = { ...plan, measuring: { ...plan.measuring, iterations: 5 } };
    expect(() => readComparison(json, five)).toThrow('(measuring.iterations 3, not 5');
  });

  test('a finished comparison is printed immediately from its file, for the requested arms and seeds', async () => {
    const { settings, controls } = defaultConfiguration('repair');
    const { rule: _, ...shared } = controls;
    const plan = { ...file.plan, settings, controls: shared };
    writeFileSync(json, comparisonJson({ ...file, plan }));
    const line = `compare --environment repair --rules grpo-mt --seeds 1 --steps ${STEPS} --json ${json}`;
    const { code, out } = await turnwise(`${line} --markdown ${join(folder, 'a.md')} --svg ${join(folder, 'a.svg')}`);
    expect([code, out.match(/^(base|grpo-mt|verpo) .*/gm)?.map((row) => row.split(/\s+/)[1])]).toEqual([0, ['1', '1']]);
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toContain('| grpo-mt | 1 | 40.0 | 70.0 | 0.30 |');
    expect(readFileSync(join(folder, 'a.svg'), 'utf8')).toContain('>grpo-mt</text>');
  });
});

test('the SVG of a Repair comparison has a thin line per seed, a bold line per mean and the final values', () => {
  const svg = comparisonSvg(repairFile({ 'grpo-mt': [0.7, 0.72], verpo: [0.7, 0.7] }));
  expect([svg.match(/stroke-width="0.8"/g)?.length, svg.match(/stroke-width="2.4"/g)?.length]).toEqual([8, 4]);
  expect(svg).toContain('verpo ends at solved at once 0.50, ties 0.60.');
  expect(svg).not.toMatch(/NaN|undefined/);
});
