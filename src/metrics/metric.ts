/**
 * Definition of a metric: one row of a table. The type of an update's metrics, the reader of files, the columns and
 * notes of the CSV export, the labels of charts, docs/reference/metrics.md and the fixtures of tests are all made from
 * the rows.
 */

/** Units of numbers, for people. */
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

/** Topics of metrics, for people, in the order of the documentation. */
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

/** The type of a metric's value, by the kind of its row. Files hold null for NaN. */
export interface ValueOfKind {
  readonly text: string;
  readonly integer: number;
  readonly number: number;
  /** Number that can be measured; null if it cannot. */
  readonly nullable: number | null;
  /** Numbers by name. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Numbers by name, each null if there are no items to count. */
  readonly nullables: Readonly<Record<string, number | null>>;
  /** The same, measured now and then: null in between. */
  readonly sparse: Readonly<Record<string, number | null>> | null;
}

export type MetricKind = keyof ValueOfKind;

/** One metric. */
export interface MetricRow {
  /** Key in files and in JSON Lines, camelCase. It never changes: files that were written hold it. */
  readonly name: string;
  /** Name of the line in a chart; the title of the chart says what the lines are of. */
  readonly label: string;
  /** Label at the end of a line; `label` without it. */
  readonly short?: string;
  readonly unit: Unit;
  readonly group: MetricGroup;
  readonly kind: MetricKind;
  /** Quantity that is counted or measured, in one phrase or sentence; the note of the CSV column. */
  readonly help: string;
  /** When the value is null. Of kind `nullable` alone. */
  readonly missing?: string;
  /** Prefix of the CSV columns of a table of numbers: `fact` in `fact:solved`. Only for tables of numbers. */
  readonly column?: string;
}

/** The values of a table, by the names of its rows; the table is declared `as const`. */
export type MetricValues<Table extends readonly MetricRow[]> = {
  readonly [Row in Table[number] as Row['name']]: ValueOfKind[Row['kind']];
};
