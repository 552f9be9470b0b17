import type { NumberMetric } from '../metrics/metricTable.ts';
import type { ParameterValues } from '../parameters/parameters.ts';

/**
 * Quantity that a line shows: a metric of each update, a fact or held-out value of the environment, or a share of its
 * watched turns.
 *
 * `turns:a+b/a+b+c` is the number of turns in cases a and b divided by the number in a, b and c. Without a divisor, it
 * is divided by the number of all watched turns.
 */
export type LineKey = NumberMetric | `fact:${string}` | `heldOut:${string}` | `turns:${string}`;

/** Line with a label that differs from the label of its metric or fact. */
export interface NamedLine {
  readonly key: LineKey;
  readonly label: string;
  /** Label at the end of the line. */
  readonly short: string;
  /** Returns true for the settings of a run that has this line. If absent, all runs have the line. */
  readonly when?: (settings: ParameterValues) => boolean;
}

/** Chart of an environment's runs. A line of a held-out value is omitted until its first measurement. */
export interface EnvironmentChart {
  /** Identifier of the chart, unique in the environment. */
  readonly id: string;
  readonly title: string;
  /** Description of the plotted values in a few words. */
  readonly caption: string;
  /** Lines of the chart, at most four in one run. A line without a `label` has the label of its metric or fact. */
  readonly lines: readonly (LineKey | NamedLine)[];
  /** Format of the values. `share`: the axis is from 0 to 1. */
  readonly format: 'share' | 'number';
  /** Smallest upper end of the value axis, so that noise near zero stays small in the chart. */
  readonly least?: number;
  /** Returns true for the settings of a run that has values for the chart. If absent, all runs have values. */
  readonly when?: (settings: ParameterValues) => boolean;
  /**
   * Names of credit rules. The chart appears after an update under one of these rules. If absent, the rule does not
   * matter.
   */
  readonly rules?: readonly string[];
  /** Line whose first value makes the chart appear. If absent, the chart appears with the first update. */
  readonly since?: LineKey;
}

/** Charts of an environment's runs. The page adds the charts that all environments share after `small`. */
export interface EnvironmentCharts {
  readonly main: EnvironmentChart;
  readonly small: readonly EnvironmentChart[];
}

/** Creates the chart of the mean turn reward and the mean outcome. */
export const rewardsChart = (caption = 'turn reward (Rᴵ) and outcome reward (Rᴼ)'): EnvironmentChart => ({
  ...{ id: 'rewards', title: 'Mean reward', caption, format: 'number', least: 0.5 },
  lines: ['rewardTurn', 'rewardOutcome'],
});

/** Creates the chart of mean absolute advantages of first and last turns. */
export const advantageChart = (caption = 'mean absolute advantage of first and last turns'): EnvironmentChart => ({
  ...{ id: 'advantage', title: '|Advantage|', caption, format: 'number', least: 0.5 },
  lines: ['advantageFirst', 'advantageLast'],
});

/**
 * Creates the chart of tied groups. One line shows the share that the environment counts by a fact. The other line
 * shows the groups that tie in the reward of the active rule.
 */
export const tiesChart = (fact: string, caption: string): EnvironmentChart => ({
  ...{ id: 'degenerate', title: 'Tied groups', caption, format: 'share' },
  lines: [`fact:${fact}`, { key: 'degenerate', label: 'By the rule’s own reward', short: 'own reward' }],
});

/**
 * Creates the chart of tied groups under the active rule.
 * @param lines further lines, for example groups that tie with the best outcome
 */
export const tiedGroupsChart = (...lines: readonly NumberMetric[]): EnvironmentChart => ({
  ...{ id: 'degenerate', title: 'Tied groups', caption: 'zero variance, no gradient', format: 'share' },
  lines: ['degenerate', ...lines],
});

/** Chart of the share of turns that an update trains on. Pruning and filters exclude the other turns. */
export const RETAINED_CHART: EnvironmentChart = {
  ...{ id: 'retained', title: 'Turns trained on', caption: 'share that was neither pruned nor without credit' },
  format: 'share',
  lines: ['retained'],
};

/**
 * Creates the chart of values on held-out tasks.
 * @param names names of facts in `EnvironmentDescriptor.heldOut`
 */
export const heldOutChart = (...names: readonly string[]): EnvironmentChart => ({
  ...{ id: 'held-out', title: 'Held-out tasks', caption: 'never trained on', format: 'share' },
  lines: names.map((name): LineKey => `heldOut:${name}`),
});

/** Chart of the probability of the right answer before first and before later turns. */
export const ANSWER_PROBABILITY_CHART: EnvironmentChart = {
  ...{
    id: 'answerProbability',
    title: 'Probability of the correct answer',
    format: 'share',
    since: 'fact:answerProbabilityFirst',
  },
  caption: 'its probability under the policy before a turn',
  lines: ['fact:answerProbabilityFirst', 'fact:answerProbabilityFurther'],
};

/** Chart of the mean return from the states before first and before later turns. */
export const STATE_VALUE_CHART: EnvironmentChart = {
  ...{ id: 'stateValue', title: 'Values of states', format: 'number', least: 0.5, since: 'fact:stateValueFirst' },
  caption: 'mean return of episodes that continue from before a turn',
  lines: ['fact:stateValueFirst', 'fact:stateValueFurther'],
};

/** Minimum and maximum over recorded runs with ten seeds, at every nth update. */
export interface RecordedBand {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** Recorded runs of an environment's standard run, which appear as an area behind a line. */
export interface RunBands {
  readonly line: LineKey;
  /** Id of the Lab claim that has recorded runs of these rules. */
  readonly claim?: string;
  /** Number of updates between two values. */
  readonly every: number;
  /** Runs under the first rule of the toggle. */
  readonly first: RecordedBand;
  /** Runs after a change to the second rule, from the change on. */
  readonly second: RecordedBand;
}
