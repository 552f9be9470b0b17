import type { NumberMetric } from '../metrics/metricTable.ts';
import type { ParameterValues } from '../parameters/parameters.ts';

/**
 * Quantity that a line shows: a metric of every update, a fact or a held-out figure of the environment, or a share of
 * its watched turns. `turns:a+b/a+b+c` divides the turns of cases a and b by those of a, b and c; without a divisor, by
 * all.
 */
export type LineKey = NumberMetric | `fact:${string}` | `heldOut:${string}` | `turns:${string}`;

/** A line under another name than that of its row. */
export interface NamedLine {
  readonly key: LineKey;
  readonly label: string;
  /** Label at the end of the line. */
  readonly short: string;
  /** True for the settings of the runs that have this line; absent if all runs have it. */
  readonly when?: (settings: ParameterValues) => boolean;
}

/** A chart of an environment's runs. Lines of held-out figures are left out until there is a first point. */
export interface EnvironmentChart {
  /** Unique among the charts of the environment. */
  readonly id: string;
  readonly title: string;
  /** Description of the values, in a few words. */
  readonly caption: string;
  /** At most four in a run; under the labels of their rows unless they are named. */
  readonly lines: readonly (LineKey | NamedLine)[];
  /** `share`: the axis is from 0 to 1. */
  readonly format: 'share' | 'number';
  /** The value axis reaches at least this far, so that noise near zero looks like noise near zero. */
  readonly least?: number;
  /** True if runs with these settings have values for the chart; absent if all runs have values. */
  readonly when?: (settings: ParameterValues) => boolean;
  /** Shown after an update under one of these rules. */
  readonly rules?: readonly string[];
  /** Shown from when on this line has a value; from the first update on where absent. */
  readonly since?: LineKey;
}

/** The charts of an environment's runs; those of every update come after them. */
export interface EnvironmentCharts {
  readonly main: EnvironmentChart;
  readonly small: readonly EnvironmentChart[];
}

/** Mean rewards. */
export const rewardsChart = (caption = 'turn reward (Rᴵ) and outcome reward (Rᴼ)'): EnvironmentChart => ({
  ...{ id: 'rewards', title: 'Mean reward', caption, format: 'number', least: 0.5 },
  lines: ['rewardTurn', 'rewardOutcome'],
});

/** Mean absolute advantages. */
export const advantageChart = (caption = 'mean absolute advantage of first and last turns'): EnvironmentChart => ({
  ...{ id: 'advantage', title: '|Advantage|', caption, format: 'number', least: 0.5 },
  lines: ['advantageFirst', 'advantageLast'],
});

/** Groups without variance, under the rule, and in a second line as the environment counts them by a fact. */
export const tiesChart = (fact: string, caption: string): EnvironmentChart => ({
  ...{ id: 'degenerate', title: 'Tied groups', caption, format: 'share' },
  lines: [`fact:${fact}`, { key: 'degenerate', label: 'By the rule’s own reward', short: 'own reward' }],
});

/** Groups without variance, under the rule alone, and what they tied at. */
export const tiedGroupsChart = (...lines: readonly NumberMetric[]): EnvironmentChart => ({
  ...{ id: 'degenerate', title: 'Tied groups', caption: 'zero variance, no gradient', format: 'share' },
  lines: ['degenerate', ...lines],
});

/** Turns that neither pruning nor a filter left out. */
export const RETAINED_CHART: EnvironmentChart = {
  ...{ id: 'retained', title: 'Turns trained on', caption: 'share that was neither pruned nor without credit' },
  format: 'share',
  lines: ['retained'],
};

/** Figures on held-out tasks. */
export const heldOutChart = (...names: readonly string[]): EnvironmentChart => ({
  ...{ id: 'held-out', title: 'Held-out tasks', caption: 'never trained on', format: 'share' },
  lines: names.map((name): LineKey => `heldOut:${name}`),
});
