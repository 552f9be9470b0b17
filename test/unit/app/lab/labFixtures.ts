import type { Claim, ClaimTest, Experiment } from '../../../../src/environments/claim.ts';
import type { ExperimentResult, PairedResult } from '../../../../src/experiments/claims/claimResult.ts';

const test: ClaimTest = {
  ...{ kind: 'paired', hypothesis: 'more', statement: 'MT-GRPO uses the tool more than GRPO-OR', margin: 0.1 },
  ...{ higher: { rule: 'mt-grpo', changes: {} }, lower: { rule: 'grpo-or', changes: {} }, of: { end: 'toolUse' } },
};

export const labExperiment: Experiment = {
  ...{ name: 'shortcut', environment: 'search', world: 'shortcut', arms: ['mt-grpo', 'grpo-or'], steps: 9 },
  ...{ seeds: 2, worlds: 2, tests: [test] },
};

/** Claim for tests, absent from docs/reference/lab. */
export const labClaim: Claim = {
  ...{ id: 'made-up', place: 'A test', says: 'Turns that are paid keep the tool.' },
  ...{ experiments: [labExperiment], differs: ['Everything.'] },
};

const paired = {
  ...{ kind: 'paired', test, higher: 'mt-grpo', lower: 'grpo-or' },
  differences: [
    { seed: 1, difference: 0.9 },
    { seed: 2, difference: 0.8 },
  ],
  judgement: {
    ...{ status: 'holds', direction: 'as claimed', mean: 0.85, low: 0.21, high: 1.49, probability: 0.03, level: 0.05 },
  },
  iqm: { mean: 0.85, low: 0.8, high: 0.9 },
  ...{ improvement: 1, deviation: 0.07 },
  corrected: { probability: 0.06, status: 'open' },
} as PairedResult;

export const labResult: ExperimentResult = {
  ...{
    name: 'shortcut',
    definition: { ...labExperiment },
    seeds: 2,
    command: 'compare --environment search',
    runs: [],
  },
  ...{ missing: 0, hours: 0, outcomes: [paired] },
  curves: {
    every: 4,
    of: { 'mt-grpo': { toolUse: [0.5, 0.9, 1] }, 'grpo-or': { toolUse: [0.5, 0.1, 0] } },
    least: { 'mt-grpo': { toolUse: [0.4, 0.8, 1] } },
    maximum: { 'mt-grpo': { toolUse: [0.6, 1, 1] } },
  },
};
