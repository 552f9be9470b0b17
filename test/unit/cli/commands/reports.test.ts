import { describe, expect, test } from 'vitest';
import { ratesText, refinementText, scaffoldsText, sharingText } from '../../../../src/cli/commands/evaluateText.ts';
import { truthText } from '../../../../src/cli/commands/truth.ts';
import { calibrationSvg } from '../../../../src/cli/compare/figures.ts';
import { type RefinementRun, refinementReport } from '../../../../src/experiments/evaluation/repairEvaluation.ts';
import { type ScaffoldRun, scaffoldReport } from '../../../../src/experiments/scaffolds/evaluateScaffolds.ts';
import type { TruthReport } from '../../../../src/training/data/truthReport.ts';
import { accuracyOf } from '../../../../src/training/rewardModel/pairs.ts';

const run = (first: number, second: number, pass: number): RefinementRun => ({
  ...{ tasks: 10, episodes: 40, iterations: [first, second], all: [first, second], partial: 0.5, none: 0.25 },
  repairRate: (second - first) / (1 - first),
  passAt: [
    { k: 1, first, last: second },
    { k: 4, first: pass, last: 1 },
  ],
});

/** Returns the cells of each line: at least two spaces separate them. */
const cells = (text: string) => text.split('\n').map((line) => line.split(/ {2,}/));

describe('reports of attempts with feedback', () => {
  test('a refinement report of one run has no deviations', () => {
    const lines = cells(refinementText([refinementReport('true', [run(0.2, 0.6, 0.375)])], 'held-out'));
    expect(lines.slice(0, 2)).toEqual([
      ['feedback', 'Iter-1, %', 'Iter-2, %', 'repair rate', 'some tests, %', 'no test, %'],
      ['true', '20.0', '60.0', '.50', '50.0', '25.0'],
    ]);
    expect(lines.slice(3, 6)).toEqual([
      ['feedback', 'by', 'pass@1, %', 'pass@4, %'],
      ['true', 'Iter-1', '20.0', '37.5'],
      ['true', 'Iter-2', '60.0', '100.0'],
    ]);
    expect(lines[7][0]).toMatch(/^10 held-out tasks, 4 episodes per task, one run\./);
  });

  test('a refinement report of several runs has means and sample deviations, with one line per feedback', () => {
    // .2 and .4: mean .3, deviation sqrt(2 · .01) = .1414; repair rates .5 and 2/3.
    const runs = [run(0.2, 0.6, 0.3), run(0.4, 0.8, 0.5)];
    const lines = cells(
      refinementText([refinementReport('true', runs), refinementReport('retry', runs.slice().reverse())], 'train'),
    );
    expect(lines[1].slice(0, 4)).toEqual(['true', '30.0 ± 14.1', '70.0 ± 14.1', '.58 ± .12']);
    expect(lines[2].slice(0, 4)).toEqual(['retry', ...lines[1].slice(1, 4)]);
    expect(lines[5]).toEqual(['true', 'Iter-1', '30.0 ± 14.1', '40.0 ± 14.1']);
    expect(lines[10][0]).toMatch(/^10 train tasks, 4 episodes per task, 2 runs: mean ± sample deviation/);
  });

  test('the tests that a policy writes are reported in a separate table', () => {
    const createRun = (right: number) => ({
      ...run(0.2, 0.6, 0.3),
      writtenTestQuality: { right, caught: 0.25, wronged: 0.5 },
    });
    const lines = cells(refinementText([refinementReport('true', [createRun(0.2), createRun(0.4)])], 'held-out'));
    expect(lines.slice(3, 5)).toEqual([
      ['feedback', 'written tests right, %', 'wrong programs caught, %', 'right programs failed, %'],
      ['true', '30.0 ± 14.1', '25.0 ± 0.0', '50.0 ± 0.0'],
    ]);
  });

  test('a refinement report of one attempt has no rows for the last attempt', () => {
    const single = { ...run(0.2, 0.6, 0.3), iterations: [0.2] };
    const lines = cells(refinementText([refinementReport('true', [single])], 'held-out'));
    expect(lines.filter(([feedback]) => feedback === 'true')).toHaveLength(2);
  });
});

describe('reports of scaffolds', () => {
  const searched = (solved: readonly number[], programCount: number): ScaffoldRun => ({
    ...{ tasks: 10, episodes: 40, solved, programCount },
    strata: [
      { stratum: 'hard', tasks: 4, solved: [0.1, 0.2, 0.3] },
      { stratum: 'medium', tasks: 0 },
    ],
  });
  const choice = { children: 2, verifier: true, scaffolds: ['refine', 'lats'] } as const;

  test('a report on scaffolds with reflections has the results of the reflections', () => {
    const createRun = (written: number, followed: number): ScaffoldRun => ({
      ...{
        tasks: 10,
        episodes: 40,
        solved: [0.2, 0.4],
        programCount: 1.5,
        reflections: { written, followed, editShare: 0.5 },
      },
      newReflections: followed,
    });
    const bank: ScaffoldRun = { ...createRun(1, 0.8), cached: { written: 1, followed: 0.1, editShare: 0.2 } };
    const plain: ScaffoldRun = { tasks: 10, episodes: 40, solved: [0.2, 0.3], programCount: 1.5 };
    const reports = [
      scaffoldReport('refine', 2, [plain, plain]),
      scaffoldReport('reflexion', 2, [createRun(1, 0.8), createRun(0.8, 0.6)]),
      scaffoldReport('dot-bank', 2, [bank, createRun(1, 0.8)]),
    ];
    const text = scaffoldsText(reports, { ...choice, scaffolds: ['refine', 'reflexion', 'dot-bank'] }, 'held-out');
    const lines = cells(text);
    // 1 and .8: deviation sqrt(2 · .01) = .1414
    expect(lines.slice(5, 9)).toEqual([
      ['scaffold', 'readable reflections, %', 'kept, %', 'announced edits made, %', 'new, %'],
      ['reflexion', '90.0 ± 14.1', '70.0 ± 14.1', '50.0 ± 0.0', '70.0 ± 14.1'],
      ['dot-bank', '100.0 ± 0.0', '80.0 ± 0.0', '50.0 ± 0.0', '80.0 ± 0.0'],
      // Only one run has cached reflections, so there is no deviation.
      ['from the bank only', '100.0', '10.0', '20.0'],
    ]);
    expect(text).toContain('An expanded program has 2 refinements.');
    expect(text).toContain('Kept: the program after a readable reflection');
    expect(scaffoldsText(reports.slice(0, 1), choice, 'held-out')).not.toContain('Kept');
  });

  test('a report on scaffolds has solved tasks by number of programs and by stratum, one line per scaffold', () => {
    const reports = [
      scaffoldReport('refine', 3, [searched([0.2, 0.4, 0.5], 2), searched([0.4, 0.4, 0.7], 2.5)]),
      scaffoldReport('lats', 3, [searched([0.2, 0.6, 0.6], 2), searched([0.4, 0.4, 0.7], 2)]),
    ];
    const lines = cells(scaffoldsText(reports, choice, 'held-out'));
    // .2 and .4: deviation sqrt(2 · .01) = .1414; 2 and 2.5: sqrt(2 · .0625) = .35
    expect(lines.slice(0, 3)).toEqual([
      ['scaffold', '1 program, %', '2, %', '3, %', 'spent'],
      ['refine', '30.0 ± 14.1', '40.0 ± 0.0', '60.0 ± 14.1', '2.25 ± .35'],
      ['lats', '30.0 ± 14.1', '50.0 ± 14.1', '65.0 ± 7.1', '2.00 ± .00'],
    ]);
    expect(lines[4]).toEqual(['scaffold', 'difficulty', 'tasks', '1 program, %', '2, %', '3, %']);
    expect(lines.slice(5, 8).map((line) => line.slice(0, 4))).toEqual([
      ['refine', 'hard', '4', '10.0 ± 0.0'],
      ['lats', 'hard', '4', '10.0 ± 0.0'],
      [''],
    ]);
    const text = lines.flat().join('\n');
    expect(text).toContain('10 held-out tasks, 4 episodes per task, 2 runs');
    expect(text).toContain('The reward model helps lats to choose.');
    expect(text).toContain('has 2 refinements');
  });

  test('a report without a verifier states this and has no notes on other scaffolds', () => {
    const results = [
      scaffoldReport('best-of-n', 3, [{ tasks: 10, episodes: 40, solved: [0.2, 0.4, 0.5], programCount: 2 }]),
    ];
    const text = scaffoldsText(results, { ...choice, verifier: false, scaffolds: ['best-of-n'] }, 'held-out');
    expect(text).toContain('The reward model does not help best-of-n to choose.');
    expect(text).not.toContain('refinements');
    expect(text).not.toContain('Hard:');
  });
});

test('a report on shared states has intervals and the number of rollouts', () => {
  const share = (value: number) => [{ value, low: value - 0.05, high: value + 0.05 }];
  const shares = { history: share(0.2), paper: share(0.3), coarse: share(0.7), contents: share(0.5) };
  const lines = cells(sharingText({ problems: 8, rollouts: 16, steps: 900, sizes: [4], shares }));
  expect(lines.slice(2, 7)).toEqual([
    ['states', 'G = 4, %'],
    ['history', '20.0 [15.0, 25.0]'],
    ['paper', '30.0 [25.0, 35.0]'],
    ['coarse', '70.0 [65.0, 75.0]'],
    ['contents', '50.0 [45.0, 55.0]'],
  ]);
  expect(lines[8][0]).toMatch(
    /^8 problems, 16 rollouts per problem, 900 steps. Mean over all groups of G among the 16/,
  );
});

test('a report on rates has one line per rate, with a dash for a missing rate', () => {
  const lines = cells(ratesText({ episodes: 12, solved: 0.25, tested: null, searches: Number.NaN }));
  expect(lines).toEqual([
    ...[
      ['rate', 'measured'],
      ['episodes', '12'],
      ['solved', '0.250'],
      ['tested', '-'],
      ['searches', '-'],
    ],
    [''],
  ]);
});

const interval = (value: number) => ({ value, low: value - 0.1, high: value + 0.1 });
const agreement = { steps: 40, clear: 8, wrong: 0.25, silent: 0, leakage: 0.125 };

const REPORT: TruthReport = {
  plan: {
    ...{ rules: ['grpo-or', 'rtmc'], groups: 2, continuations: 8, split: 'train', ties: 'skip', gradientGroups: 4 },
    counts: { kind: 'rewards', gamma: 0.99, bonus: 0.1 },
  },
  ...{ drawn: 3, histories: 30, continuations: 240, resampled: 'groups', groups: [] },
  precision: { deviation: 0.2, error: 0.12, reliability: 0.64 },
  rules: [
    { ...agreement, rule: 'grpo-or', parameters: {}, correlation: interval(0.5), ahead: interval(0) },
    { ...agreement, rule: 'rtmc', parameters: {}, correlation: interval(-0.05), ahead: interval(NaN) },
  ],
  gradients: {
    ...{ groups: 4, halves: 0.7 },
    rules: [{ rule: 'truth', cosine: interval(0.3), summed: 0.5, error: 0.25, cosines: [0.3] }],
  },
};

test('the table of true advantages has the results and their definition', () => {
  const lines = truthText(REPORT).split('\n');
  expect(lines[1]).toMatch(/^grpo-or +\+\.50 \[\+\.40, \+\.60\] +25 % +0 % +13 % +8 +40$/);
  expect(lines[2]).toMatch(/^rtmc +-\.05 \[-\.15, \+\.05\] +- \[-, -\] +25 %/);
  const text = lines.join('\n');
  expect(text).toContain('rewards of all turns with a validation bonus of 0.1, discounted by 0.99 per turn');
  expect(text).toContain('reliability 0.64; correlations with the exact advantages would be 1.25 times as large.');
  expect(text).toMatch(/truth +\+\.30 \[\+\.20, \+\.40\] +\+\.50 +\.25/);
});

test('true advantages that are not distinguishable from their errors are marked', () => {
  const { gradients: _, ...rest } = REPORT;
  const text = truthText({ ...rest, precision: { deviation: 0.1, error: 0.2, reliability: 0 } });
  expect(text).toContain('use more --continuations');
  expect(text).not.toContain('cosine');
});

test('exact true advantages are labelled as exact', () => {
  const precision = { deviation: 0.2, error: 0, reliability: 1 };
  const text = truthText({ ...REPORT, continuations: 0, histories: 15, precision });
  expect(text).toContain(
    '15 histories, 0 continuations.\nTrue advantages: exact under the current policy, standard deviation 0.200.',
  );
  expect(text).not.toContain('reliability');
});

/** Returns the margin at which the model predicts this probability. */
const sure = (probability: number) => Math.log(probability / (1 - probability));

test('each bin has a disc at its mean prediction and accuracy, with an area by its number of pairs', () => {
  // Four pairs of .55, half of them right, and one pair of .95, right. The bins in between are empty.
  const margins = [sure(0.55), -sure(0.55), sure(0.55), -sure(0.55), sure(0.95)];
  const svg = calibrationSvg('How sure <it> is', accuracyOf(margins).bins);
  const discs = [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"[^>]*><title>([^<]*)/g)].map(
    ([, x, y, radius, text]) => [Number(x), Number(y), Number(radius), text],
  );
  // The x axis is from 56 for .5 to 316 for 1, and the y axis is from 308 for .5 to 48 for 1. Areas are 4 to 1.
  expect(discs).toEqual([
    [82, 308, 16, 'predicts .55, right in .50 of 4 pairs'],
    [290, 48, 8, 'predicts .95, right in 1.00 of 1 pairs'],
  ]);
  expect(svg).toContain('How sure &lt;it> is');
});

test('the accuracy axis extends below .5 for a model that is mostly wrong', () => {
  const svg = calibrationSvg('lower', accuracyOf([sure(0.75), -sure(0.75), -sure(0.75), -sure(0.75)]).bins);
  // The accuracy is .25 and the axis starts at .2, so the disc is .05 of .8 above its end.
  const [, y] = svg.match(/cy="([\d.]+)"/) ?? [];
  expect(Number(y)).toBeCloseTo(308 - (260 * 0.05) / 0.8, 0);
});
