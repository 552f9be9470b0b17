import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArm } from '../../../../src/cli/commands/compare.ts';
import { type ComparisonFile, comparisonJson, readComparison } from '../../../../src/cli/compare/comparisonFile.ts';
import { comparisonSvg } from '../../../../src/cli/compare/comparisonSvg.ts';
import { comparisonMarkdown, comparisonText } from '../../../../src/cli/compare/comparisonText.ts';
import { type SwitchedArm, switchedArms, updatesLeft } from '../../../../src/experiments/compare/arms.ts';
import {
  type ArmRun,
  type ComparisonPlan,
  missingRuns,
  runConfiguration,
} from '../../../../src/experiments/compare/findings.ts';
import { tablesOf } from '../../../../src/training/data/configurationTables.ts';
import { openingRun } from '../../../../src/training/data/worlds.ts';
import { expectRejected, temporaryFolder } from '../cliTerminal.ts';

const { folder } = temporaryFolder();

const { settings, controls } = openingRun('search');
const { rule: _, ...shared } = controls;
const plan: ComparisonPlan = {
  ...{ configurationVersion: 1, environment: 'search', steps: 80, settings, controls: shared },
  ...{ freshWarmStart: false, worlds: 1, measuring: { heldOut: 8, base: 8 } },
};
const named = (...names: string[]) => names.map((name) => readArm(tablesOf('search'), name));
const ARMS = switchedArms(named('mt-grpo', 'grpo-or'), [20, 60]);
const SEEDS = [1, 2, 3, 4, 5];

/**
 * Returns a synthetic run. Its tool use is constant before the switch, then changes linearly within `within` updates.
 */
function run(arm: SwitchedArm, seed: number, before: number, after: number, within: number): ArmRun {
  const { step } = arm.switch;
  const toolUse = Array.from({ length: step + plan.steps }, (_, at) =>
    at < step ? before : before + (after - before) * Math.min(1, (at - step) / within),
  );
  return { arm, seed, digest: 'd', heldOut: { answer: 0.1 }, series: { toolUse } };
}

const createRun = (arm: SwitchedArm, seed: number) =>
  arm.rule === 'mt-grpo' ? run(arm, seed, 0.98, 0.01, 40) : run(arm, seed, 0.01, 0.98, 20);

function comparison(parts: Partial<ComparisonFile> = {}): ComparisonFile {
  const runs = SEEDS.flatMap((seed) => ARMS.map((arm) => createRun(arm, seed)));
  return { plan, arms: ARMS, device: 'made up', base: [], runs, ...parts };
}

describe('arms that switch to each other', () => {
  test('two arms switch in both directions at each step', () => {
    expect(ARMS.map(({ name }) => name)).toEqual([
      ...['mt-grpo>grpo-or@20', 'mt-grpo>grpo-or@60', 'grpo-or>mt-grpo@20', 'grpo-or>mt-grpo@60'],
    ]);
  });

  test('a switched arm is a run with a scheduled change, which restores shared values of the other settings', () => {
    const [arm] = switchedArms(named('mt-grpo:klCoef=0.5', 'grpo-or:learningRate=1e-4'), [40]);
    const { controls, schedule } = runConfiguration(plan, arm, 3);
    expect([controls.rule, controls.klCoef, controls.learningRate]).toEqual(['mt-grpo', 0.5, 3e-4]);
    expect(schedule).toEqual([{ step: 40, changes: { rule: 'grpo-or', learningRate: 1e-4, klCoef: 0.02 } }]);
  });

  test('with a habit, all arms start as the first arm and return to it', () => {
    const arms = switchedArms(named('mt-grpo', 'grpo-or:klCoef=0.5', 'rloo'), [60, 100], 40);
    expect(arms.map(({ name }) => name)).toEqual(
      ['grpo-or:klCoef=0.5', 'rloo'].flatMap((from) => [60, 100].map((at) => `${from}>mt-grpo@${at} after 40`)),
    );
    const { controls, schedule } = runConfiguration(plan, arms[1] as SwitchedArm, 3);
    expect([controls.rule, controls.klCoef]).toEqual(['mt-grpo', 0.02]);
    expect(schedule).toEqual([
      { step: 40, changes: { rule: 'grpo-or', klCoef: 0.5 } },
      { step: 140, changes: { rule: 'mt-grpo', klCoef: 0.02 } },
    ]);
    // Two shared prefixes of 140 updates, and 80 updates after each of the four switches.
    expect(updatesLeft(plan, missingRuns({ runs: [] }, arms, [1]))).toBe(2 * 140 + 4 * 80);
    const runs = arms.map((arm) => run(arm, 1, 0.01, 0.98, 20));
    const text = comparisonText(comparison({ arms, runs }));
    expect(text).toMatch(/^rloo +mt-grpo +100 +1 +\.01 +\.93 /m);
    expect(text).toContain('Every run begins with 40 updates under the rule that it returns to.');
  });

  test('the shared updates before a switch are counted once', () => {
    const missing = missingRuns({ runs: [] }, ARMS, [1, 2]);
    // Per seed: four runs of 80 updates after their switch, and two shared prefixes of 60 updates.
    expect(updatesLeft(plan, missing)).toBe(2 * (4 * 80 + 2 * 60));
    expect(updatesLeft(plan, missing.slice(-1))).toBe(80 + 60);
    expect(updatesLeft(plan, missingRuns({ runs: [] }, named('mt-grpo'), [1]))).toBe(80);
  });
});

describe('the report on switches', () => {
  test('the report on switches has a row per switch, with tool use before it and at four times after it', () => {
    const text = comparisonText(comparison());
    expect(text).toMatch(/^from +to +at +seeds +tool use before +20 later +40 later +60 later +80 later$/m);
    // Half of the way after 20 of 40 updates: .98 - .97 / 2.
    expect(text).toMatch(/^mt-grpo +grpo-or +60 +5 +\.98 +\.49 +\.04 +\.01 +\.01$/m);
    expect(text).toMatch(/^grpo-or +mt-grpo +20 +5 +\.01 +\.93 +\.98 +\.98 +\.98$/m);
    expect(text).toMatch(/^open +From MT-GRPO to GRPO-OR/m);
    expect(comparisonMarkdown(comparison())).toContain('| mt-grpo | grpo-or | 20 | 5 | .98 |');
  });

  test('the figure on switches shows later tool use by step, with one panel per direction', () => {
    const svg = comparisonSvg(comparison());
    expect(svg).toContain('MT-GRPO to GRPO-OR: 0.01 at 20, 0.01 at 60. GRPO-OR to MT-GRPO: 0.98 at 20, 0.98 at 60.');
    expect(svg.match(/>60 later</g)).toHaveLength(2);
    // Two lines per panel, each with five seeds and a mean.
    expect(svg.match(/<path /g)).toHaveLength(2 * 2 * 6);
  });

  test('a seed without one of the steps is omitted from the figure, and the table counts the other seeds', () => {
    const runs = comparison().runs.filter(({ arm, seed }) => !(seed === 5 && arm.name === 'mt-grpo>grpo-or@60'));
    expect(comparisonSvg(comparison({ runs })).match(/<path /g)).toHaveLength(2 * 5 + 2 * 6);
    expect(comparisonText(comparison({ runs }))).toMatch(/^mt-grpo +grpo-or +60 +4 /m);
  });

  test('the file of a comparison of switches is read, and an invalid switch is rejected', () => {
    const file = join(folder, 'switches.json');
    writeFileSync(file, comparisonJson(comparison()));
    expect(readComparison(file, plan)).toEqual(comparison());
    const broken = { ...ARMS[0], switch: { step: -1, to: ARMS[0].switch.to } };
    const runs = [{ ...comparison().runs[0], arm: broken }];
    writeFileSync(file, comparisonJson(comparison()).replace(/"runs":\[.*$/s, `"runs":${JSON.stringify(runs)}}`));
    expect(() => readComparison(file, plan)).toThrow('runs[0].arm.switch.step is -1, not a whole number from 0');
  });

  test('compare rejects --switch with one arm, and --habit without --switch', async () => {
    await expectRejected('compare --rules mt-grpo --switch 20', '--switch: --rules has one arm, mt-grpo');
    await expectRejected('compare --rules mt-grpo,grpo-or --habit 20', '--habit: needs --switch');
  });
});
