import type { MetricRow } from '../metric.ts';

const NO_TIMESTAMPS = 'on devices without timestamps';

/** Durations of the phases of an update (docs/reference/training.md). */
export const TIMED = [
  {
    name: 'tokensPerSecond',
    label: 'Tokens per second',
    short: 'tokens/s',
    unit: 'tokensPerSecond',
    group: 'time',
    kind: 'number',
    help: 'tokens sampled and trained on',
  },
  {
    name: 'stepMs',
    label: 'Update',
    short: 'whole',
    unit: 'milliseconds',
    group: 'time',
    kind: 'number',
    help: 'the whole update',
  },
  {
    name: 'generateMs',
    label: 'Generation',
    short: 'generation',
    unit: 'milliseconds',
    group: 'time',
    kind: 'number',
    help: 'sampling, programs included',
  },
  {
    name: 'executeMs',
    label: 'Waiting for programs',
    short: 'programs',
    unit: 'milliseconds',
    group: 'time',
    kind: 'number',
    help: 'part of generateMs in which the update waits for programs',
  },
  {
    name: 'updateMs',
    label: 'Credit and optimisation',
    short: 'update',
    unit: 'milliseconds',
    group: 'time',
    kind: 'number',
    help: 'credit and optimisation',
  },
  {
    name: 'encodeMs',
    label: 'Preparation on the CPU',
    short: 'prepare',
    unit: 'milliseconds',
    group: 'time',
    kind: 'number',
    help: 'part of updateMs in which the CPU prepares the update',
  },
  {
    // The time includes the values of the critic.
    name: 'creditMs',
    label: 'Credit',
    short: 'credit',
    unit: 'milliseconds',
    group: 'time',
    kind: 'nullable',
    help: 'GPU time of credit',
    missing: NO_TIMESTAMPS,
  },
  {
    name: 'optimizeMs',
    label: 'Optimisation',
    short: 'optimise',
    unit: 'milliseconds',
    group: 'time',
    kind: 'nullable',
    help: 'GPU time of optimisation',
    missing: NO_TIMESTAMPS,
  },
] as const satisfies readonly MetricRow[];
