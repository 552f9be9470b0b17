import { expect, test } from 'vitest';
import { truthText } from '../../../../src/cli/commands/truth.ts';
import type { TruthReport } from '../../../../src/experiments/truth/measureTruth.ts';

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
