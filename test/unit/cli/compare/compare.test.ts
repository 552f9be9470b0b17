import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArm } from '../../../../src/cli/commands/compare.ts';
import { type ComparisonFile, comparisonJson, readComparison } from '../../../../src/cli/compare/comparisonFile.ts';
import { comparisonSvg } from '../../../../src/cli/compare/comparisonSvg.ts';
import { comparisonMarkdown, comparisonText } from '../../../../src/cli/compare/comparisonText.ts';
import type { Rates } from '../../../../src/environments/search/searchRates.ts';
import {
  comparisonTable,
  type Points,
  type SummaryStatistics,
} from '../../../../src/experiments/compare/comparisonTable.ts';
import {
  type ArmRun,
  type ComparisonPlan,
  missingRuns,
  runConfiguration,
} from '../../../../src/experiments/compare/findings.ts';
import { confidence } from '../../../../src/experiments/inference/inference.ts';
import { around, computeFinalMean, mean, meanSeries, sampleDeviation } from '../../../../src/experiments/statistics.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { tablesOf } from '../../../../src/training/data/configurationTables.ts';
import { CONTROLS, SETTINGS } from '../../../searchTables.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder } = temporaryFolder();

const { rule: _, ...controls } = defaults(CONTROLS);
const plan: ComparisonPlan = {
  ...{ configurationVersion: 1, environment: 'search', steps: 120, settings: defaults(SETTINGS), controls },
  ...{ freshWarmStart: false, worlds: 1, measuring: { heldOut: 512, base: 1024 } },
};
const named = (...names: string[]) => names.map((name) => readArm(tablesOf('search'), name));

const BASE = { toolUse: 0.57, retrieval: 0.41, answer: 0.11, format: 0.87 };
const rates = (parts: Partial<Rates>): Readonly<Record<keyof Rates, number>> => ({
  episodes: 512,
  ...BASE,
  answerGivenRetrieval: 0.06,
  answerWithoutSearch: 0.2,
  searches: 0.57,
  rewardTurn: 0,
  rewardOutcome: 0,
  entropy: 1.23,
  ...parts,
});

/** Synthetic curve: linear from `from` to `to` until update 60, constant after it. */
const ramp = (from: number, to: number) =>
  Array.from({ length: plan.steps }, (_, step) => from + (to - from) * Math.min(1, step / 60));

function run(rule: string, seed: number, tool: number, answer: number): ArmRun {
  const series = { toolUse: ramp(0.57, tool), answer: ramp(0.11, answer) };
  const [arm] = named(rule);
  return { arm, seed, digest: 'd', series, heldOut: rates({ answer: answer - 0.02 }) };
}

const runs = (rule: string, ends: readonly (readonly [number, number])[]) =>
  ends.map(([tool, answer], index) => run(rule, index + 1, tool, answer));

function comparison(parts: Partial<ComparisonFile> = {}): ComparisonFile {
  const five = <T>(value: T): T[] => Array.from({ length: 5 }, () => value);
  return {
    plan,
    arms: named('grpo-or', 'mt-grpo', 'grpo-mr'),
    device: 'made up',
    base: [{ seed: 1, digest: 'd', measured: rates({}) }],
    runs: [
      ...runs('grpo-or', [...five([0.01, 0.42] as const).slice(1), [0.6, 0.5]]),
      ...runs('mt-grpo', five([0.99, 0.93] as const)),
      ...runs('grpo-mr', five([0.98, 0.9] as const)),
    ],
    ...parts,
  };
}

describe('statistics', () => {
  const series = Array.from({ length: 20 }, (_, step) => step);

  test('a curve is averaged around a step, at its ends over the available values', () => {
    expect(around(series, 10)).toBe(10);
    expect(around([0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0], 10)).toBe(9 / 5);
    expect(around(series, 2)).toBe((0 + 1 + 2 + 3 + 4 + 5 + 6) / 7);
    expect(around(series, 20)).toBeNaN();
  });

  test('the average around step 0 is only the value of step 0', () => {
    expect(around([7, 1, 1, 1], 0)).toBe(7);
  });

  test('the final mean of a curve is the mean of its last ten values', () => {
    expect(computeFinalMean(series)).toBe(14.5);
  });

  test('the confidence interval of a mean uses Student’s t', () => {
    // t of 2 degrees of freedom is 4.303; the deviation of 1, 2, 3 is 1.
    expect(confidence([1, 2, 3])).toBeCloseTo(4.303 / Math.sqrt(3), 3);
    // Tables have 2.086 for 20 and 1.984 for 99 degrees of freedom.
    for (const [count, t] of [
      [21, 2.086],
      [100, 1.984],
    ] as const) {
      const values = Array.from({ length: count }, (_, index) => index % 7);
      expect(confidence(values)).toBeCloseTo((t * sampleDeviation(values)) / Math.sqrt(count), 3);
    }
    expect(confidence([1])).toBeNaN();
  });

  test('mean and sample deviation are NaN without enough values', () => {
    expect([mean([1, 2, 6]), sampleDeviation([1, 2, 6])]).toEqual([3, Math.sqrt(7)]);
    expect([mean([]), sampleDeviation([1])]).toEqual([NaN, NaN]);
    expect(
      meanSeries([
        [1, 2, 3],
        [3, 4],
      ]),
    ).toEqual([2, 3]);
    expect(meanSeries([])).toEqual([]);
  });
});

describe('the comparison table', () => {
  test('the comparison table has means over seeds at selected steps and at the end', () => {
    const { columns, rows } = comparisonTable(comparison(), named('grpo-or', 'mt-grpo'));
    expect(columns.map(({ title }) => title)).toEqual([
      ...['tool use 0/25/50/100/end', 'answer 0/25/50/100/end', 'held out', 'collapsed'],
    ]);
    const [or, mt] = rows;
    const countSeeds = (row: typeof or) => (row.cells[3] as SummaryStatistics).mean * row.seeds;
    expect([or.name, or.seeds, countSeeds(or), countSeeds(mt)]).toEqual(['grpo-or', 5, 4, 0]);
    const [tool] = or.cells as Points[];
    expect(tool.points[0]).toBeCloseTo(0.57);
    expect(tool.points[4]).toBeCloseTo((4 * 0.01 + 0.6) / 5);
    expect((mt.cells[1] as Points).points[1]).toBeCloseTo(0.11 + ((0.93 - 0.11) * 25) / 60);
    expect((mt.cells[2] as SummaryStatistics).mean).toBeCloseTo(0.91);
  });

  test('the comparison table is printed as text and as Markdown, with notes and conclusions', () => {
    const printed = comparisonText(comparison());
    expect(printed).toMatch(/^grpo-or +5 +\.57\/.*\/\.13 +\.11\/.*\.44 +\.42 +4 of 5$/m);
    expect(printed).toContain('4 updates on either side');
    expect(printed).toMatch(/^in the range +Warm start, tool use/m);
    const markdown = comparisonMarkdown(comparison());
    expect(markdown).toMatch(/^\| arm \| seeds \| tool use 0\/25\/50\/100\/end \|/);
    expect(markdown).toContain('- **in the range**: Warm start, tool use');
  });

  test('the comparison table omits steps that a short comparison does not reach', () => {
    const titles = (steps: number) => comparisonTable(comparison({ plan: { ...plan, steps } }), []).columns[0].title;
    expect([titles(26), titles(27)]).toEqual(['tool use 0/end', 'tool use 0/25/end']);
  });
});

describe('the plan of a comparison', () => {
  test('arms of a plan differ only in the rule, and all rules of a seed train before the next seed', () => {
    const [or, mt] = named('grpo-or', 'mt-grpo').map((arm) => runConfiguration(plan, arm, 2));
    expect({ ...or, controls: { ...or.controls, rule: 'mt-grpo' } }).toEqual(mt);
    const findings = { runs: [run('grpo-or', 1, 0, 0)] };
    const missing = missingRuns(findings, named('grpo-or', 'mt-grpo'), [1, 2]);
    expect(missing.map(({ arm, seed }) => `${arm.name} ${seed}`)).toEqual(['mt-grpo 1', 'grpo-or 2', 'mt-grpo 2']);
  });

  test('every seed has a separate warm start on request', () => {
    const [arm] = named('grpo-or');
    expect(runConfiguration({ ...plan, freshWarmStart: true }, arm, 4).settings.warmSeed).toBe(4);
  });

  test('seeds are distributed over several worlds, the first of which is the shipped world', () => {
    const [arm] = named('grpo-or');
    const worlds = Array.from({ length: 6 }, (_, index) => {
      const { settings, seed } = runConfiguration({ ...plan, worlds: 5 }, arm, index + 1);
      return [seed, settings.worldSeed, settings.warmSeed];
    });
    expect(worlds).toEqual([1, 2, 3, 4, 5, 6].map((seed) => [seed, (seed - 1) % 5, (seed - 1) % 5]));
    expect(runConfiguration(plan, arm, 4).settings.warmSeed).toBe(0);
  });
});

describe('the comparison file', () => {
  const file = join(folder, 'found.json');

  test('a comparison file has the findings, table and conclusions, and is read as the same findings', () => {
    writeFileSync(file, comparisonJson(comparison()));
    expect(readComparison(file, plan)).toEqual(comparison());
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    expect(saved.table.rows).toHaveLength(3);
    expect(saved.conclusions[0].status).toBe('in the range');
  });

  test.each([
    [
      'another number of updates',
      { steps: 60 },
      'results of another comparison (steps 120, not 60); name another file with --json FILE',
    ],
    ['other world settings', { settings: { ...plan.settings, knownShare: 1 } }, 'settings.knownShare 0.4, not 1'],
  ])('a comparison file with %s is rejected', (_, parts, message) => {
    writeFileSync(file, comparisonJson(comparison()));
    expect(() => readComparison(file, { ...plan, ...parts })).toThrow(message);
  });

  test('a file that is not a comparison file is rejected', () => {
    for (const text of ['{}', '[]', 'null', '{"format":"turnwise-comparison","formatVersion":9}', '{']) {
      writeFileSync(file, text);
      expect(() => readComparison(file, plan)).toThrow('name another file');
    }
  });

  test('a comparison file of another version is rejected with its version', () => {
    writeFileSync(file, '{"format":"turnwise-comparison","formatVersion":1}');
    expect(() => readComparison(file, plan)).toThrow(`${file} has format version 1, and only 2 is supported`);
  });

  const [first] = comparison().runs;
  const [measured] = comparison().base;
  test.each([
    [{ runs: [null] }, 'runs[0] is null, not an object'],
    [{ runs: [first, { ...first, series: undefined }] }, 'runs[1].series is missing'],
    [{ runs: [{ ...first, series: { answer: [0.5, '0.9'] } }] }, 'runs[0].series.answer[1] is "0.9", not a number or'],
    [{ runs: [{ ...first, heldOut: { answer: '0.9' } }] }, 'runs[0].heldOut.answer is "0.9", not a number or null'],
    [{ runs: [{ ...first, arm: { ...first.arm, rule: 'ppo' } }] }, 'runs[0].arm.rule is "ppo", not a credit rule'],
    [{ runs: [{ ...first, digest: 3 }] }, 'runs[0].digest is 3, not a text'],
    [{ runs: [{ ...first, seed: -1 }] }, 'runs[0].seed is -1, not a whole number from 0'],
    [{ runs: {} }, 'runs is {}, not a list'],
    [{ base: [null] }, 'base[0] is null, not an object'],
    [{ base: [{ ...measured, measured: [1] }] }, 'base[0].measured is [1], not an object'],
    [{ base: undefined }, 'base is missing'],
    [{ arms: [first.arm, 3] }, 'arms[1] is 3, not an object'],
    [{ device: 1 }, 'device is 1, not a text'],
  ])('a comparison file with an invalid entry is rejected: %#', async (parts, problem) => {
    writeFileSync(file, comparisonJson(comparison()));
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...saved, ...parts }));
    await expectRejected(
      ['compare', '--world', 'open', '--json', file],
      `turnwise: --json: ${file} is not a valid comparison file: ${problem}`,
    );
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify({ ...saved, ...parts })));
  });

  test('a comparison file can have missing rates and a byte order mark', () => {
    const runs = [{ ...first, heldOut: { ...first.heldOut, answerGivenRetrieval: null } }];
    writeFileSync(file, comparisonJson(comparison()));
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, `\uFEFF${JSON.stringify({ ...saved, runs })}`);
    expect(readComparison(file, plan)).toMatchObject({ runs });
  });

  test('the comparison file has a default name, which an error of that file reports as the default', async () => {
    const here = process.cwd();
    process.chdir(folder);
    try {
      writeFileSync('compare.json', comparisonJson(comparison()));
      await expectRejected(
        'compare --world open --steps 60',
        '--json: compare.json, the default, has the results of another comparison (steps 120, not 60); name',
      );
      const again = await turnwise('compare --world open --rules mt-grpo');
      expect([again.code, again.err]).toEqual([0, 'all results are in compare.json\n']);
      expect(again.out).toBe(
        comparisonText(comparison({ runs: runs('mt-grpo', Array(5).fill([0.99, 0.93])), arms: named('mt-grpo') })),
      );
    } finally {
      process.chdir(here);
    }
  });

  test('a missing comparison file is read as a comparison without runs', () => {
    expect(readComparison(join(folder, 'none.json'), plan).runs).toEqual([]);
  });
});

describe('the SVG of a comparison', () => {
  const svg = comparisonSvg(comparison());

  test('the SVG of a comparison is well-formed and describes its content', () => {
    expect(unclosed(svg)).toEqual([]);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox=/);
    expect(svg).toContain('<title id="title">');
    expect(svg).toContain('GRPO-OR ends at tool use 0.13, right answers 0.44.');
    expect(svg).not.toMatch(/NaN|undefined/);
  });

  test('the SVG of a comparison has a thin line per seed and a bold line per mean, in two panels', () => {
    expect(svg.match(/stroke-width="0.8"/g)).toHaveLength(2 * 15);
    expect(svg.match(/stroke-width="2.4"/g)).toHaveLength(2 * 3);
    for (const label of ['MT-GRPO', 'GRPO-OR', 'GRPO-MR']) expect(svg.split(`>${label}</text>`)).toHaveLength(3);
  });

  test('the SVG of a comparison has no NaN for a missing value', () => {
    const [first, ...rest] = comparison().runs;
    const holes = { ...first, series: { ...first.series, answer: [0.1, null, 0.3] } };
    expect(comparisonSvg(comparison({ runs: [holes, ...rest] }))).not.toContain('NaN');
  });

  test.each(['#3b82d6', '#d9661f', '#1a9a7f', '#7a828a'])('the colour %s contrasts with white and black', (colour) => {
    expect(svg).toContain(colour);
    for (const ground of ['#ffffff', '#0d1117']) expect(contrast(colour, ground)).toBeGreaterThan(3);
  });
});

/** Returns tags that are not closed, or that are closed but not opened. */
function unclosed(xml: string): string[] {
  const open: string[] = [];
  for (const [, close, name, self] of xml.matchAll(/<(\/?)([a-z]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/gi)) {
    if (close) {
      if (open.pop() !== name) return [name];
    } else if (!self) open.push(name);
  }
  const stray = xml.replace(/<(\/?)([a-z]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/gi, '').match(/[<>]/g) ?? [];
  return [...open, ...stray];
}

/** Returns the contrast ratio of two colours as WCAG 2 defines it. */
function contrast(first: string, second: string): number {
  const luminance = (colour: string) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}
