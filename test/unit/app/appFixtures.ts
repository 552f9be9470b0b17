import { defaultConfiguration } from '../../../src/app/address/pageTables.ts';
import type { ValueOfKind } from '../../../src/metrics/metric.ts';
import { METRICS } from '../../../src/metrics/metricTable.ts';
import type { GroupView, Metrics, SavedRun } from '../../../src/training/data/protocol.ts';

/** Sample value for each kind of metric. */
const SAMPLES: ValueOfKind = {
  ...{ text: 'mt-grpo', integer: 16, number: 0, nullable: null },
  ...{ numbers: {}, nullables: {}, sparse: null },
};

/** Sample values on which tests rely. They replace the sample value of the metric's kind. */
const SAMPLE_METRICS: Partial<Metrics> = {
  ...{ toolUse: 0.5, retrieval: 0.5, answer: 0.5, format: 0.5, searches: 0.6 },
  ...{ rewardTurn: 0.1, rewardOutcome: 0.2, components: { executed: 0.1, right: 0.2 } },
  ...{ entropy: 1, gradientNorm: 1, loss: 0, advantageFirst: 0.5, advantageLast: 0.5 },
  ...{ degenerate: 0.2, degenerateBest: 0.1, degenerateWorst: 0.1 },
  ...{ turns: 256, fill: 1, retained: 1 },
  ...{ tokensPerSecond: 1000, stepMs: 100, generateMs: 40, updateMs: 60, encodeMs: 1 },
};

/** Returns metrics of one step with a value for every row of the metric table. */
export function metricsOf(step: number, overrides: Partial<Metrics> = {}): Metrics {
  const samples = Object.fromEntries(METRICS.map(({ name, kind }) => [name, SAMPLES[kind]]));
  return { ...samples, ...SAMPLE_METRICS, step, ...overrides } as Metrics;
}

/** Returns a saved run with a checkpoint of 16 bytes and all its updates, by default at step 1. */
export function savedRun(overrides: Partial<SavedRun> = {}): SavedRun {
  const checkpoint = Uint8Array.from({ length: 16 }, (_, index) => index * 16).buffer;
  const { step = 1 } = overrides;
  const metrics = Array.from({ length: step }, (_, index) => metricsOf(index));
  return { configuration: defaultConfiguration(), step, checkpoint, events: [], metrics, ...overrides };
}

/**
 * Returns a group of two rollouts with two turns each. The first rollout searches and is right; the second one skips
 * the search and is wrong.
 */
export function groupOf(overrides: Partial<GroupView> = {}): GroupView {
  const token = (text: string, turn: number) => ({ text, kind: 'markup', turn, logProb: -1, entropy: 1 });
  const turn = (forestTurn: number, summary: string, reward: number, advantage: number, components = {}) => ({
    forestTurn,
    summary,
    reward,
    components,
    advantage,
    outcomeOnlyAdvantage: advantage / 2,
  });
  return {
    step: 12,
    group: 3,
    groups: 16,
    sampleOnly: false,
    question: 'r3 e17',
    rule: 'mt-grpo',
    forest: {
      id: 'step 12, group 3',
      turns: [
        { parent: -1, reward: 0.5, tokens: 2, action: 'search r3 e17' },
        { parent: 0, reward: 0, outcome: 1, tokens: 1, action: 'answer v4' },
        { parent: -1, reward: -0.2, tokens: 1, action: 'skip' },
        { parent: 2, reward: 0, outcome: 0.2, tokens: 1, action: 'answer v5' },
      ],
    },
    rollouts: [
      {
        tokens: [token('<q>', -1), token('<search>', 0), token('</search>', 0), token('<answer>', 1)],
        turns: [
          turn(0, 'searched', 0.5, 1.4, { executed: 0.2, retrieved: 0.3 }),
          turn(1, 'right', 0, 0.7, { right: 1 }),
        ],
        outcome: 1,
      },
      {
        tokens: [token('<q>', -1), token('<end>', 0), token('<answer>', 1)],
        turns: [turn(2, 'skipped', -0.2, -1.4, { skip: -0.2 }), turn(3, 'wrong', 0, -0.7, { wrong: 0.2 })],
        outcome: 0.2,
      },
    ],
    ...overrides,
  };
}
