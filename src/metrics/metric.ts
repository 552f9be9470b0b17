import type { RolloutBatch } from '../rollouts/rolloutBatch.ts';

/**
 * Definition of a metric: one row of a table. The rows determine the type of an update's metrics, the reader of files
 * and the CSV export. The labels of charts, docs/reference/metrics.md and the fixtures of tests also derive from them.
 */

/** Displayed units of metrics. */
export const UNITS = {
  share: 'share 0 to 1',
  count: 'count',
  name: 'name',
  number: 'number',
  digest: '32-bit digest',
  reward: 'reward',
  nats: 'nats per token',
  norm: 'norm',
  loss: 'loss',
  explained: 'at most 1',
  advantage: 'advantage',
  milliseconds: 'ms',
  tokensPerSecond: 'tokens/s',
} as const;

/** Displayed topics of metrics, in the order of the documentation. */
export const GROUPS = {
  update: 'Update',
  rewards: 'Rewards',
  search: 'Search environment',
  environment: 'Environment',
  batch: 'Batch',
  policy: 'Policy',
  critic: 'Critic',
  credit: 'Credit',
  time: 'Time',
} as const;

type Unit = keyof typeof UNITS;
export type MetricGroup = keyof typeof GROUPS;

/** Types of values, by the kind of the row. Files have null for NaN. */
export interface ValueOfKind {
  readonly text: string;
  readonly integer: number;
  readonly number: number;
  /** Number, or null if it cannot be measured. */
  readonly nullable: number | null;
  /** Numbers by name. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Numbers by name, each null if there are no cases to count. */
  readonly nullables: Readonly<Record<string, number | null>>;
  /** Numbers by name, measured at some updates only. null at other updates. */
  readonly sparse: Readonly<Record<string, number | null>> | null;
}

export type MetricKind = keyof ValueOfKind;

/** Definition of one metric. */
export interface MetricRow {
  /** Key in files and in JSON Lines, camelCase. It never changes, because existing files contain it. */
  readonly name: string;
  /** Name of the line in a chart. The title of the chart names the quantity. */
  readonly label: string;
  /** Label at the end of a line. `label` if absent. */
  readonly short?: string;
  readonly unit: Unit;
  readonly group: MetricGroup;
  readonly kind: MetricKind;
  /** Meaning of the metric, in one phrase or sentence. It is also the note of the CSV column. */
  readonly help: string;
  /** Condition under which the value is null. Only for the kind `nullable`. */
  readonly missing?: string;
  /** Prefix of the CSV columns of a table of numbers, for example `fact` in `fact:solved`. Absent for other kinds. */
  readonly column?: string;
  /** Computes the value if it depends only on the rollouts of the update. */
  readonly ofBatch?: (batch: RolloutBatch) => ValueOfKind[MetricKind];
}

/** Values of the metrics of a table, by name. The table must be declared `as const`. */
export type MetricValues<Table extends readonly MetricRow[]> = {
  readonly [Row in Table[number] as Row['name']]: ValueOfKind[Row['kind']];
};
