import type { ExperimentResult } from '../../experiments/claims/claimResult.ts';
import type { Arm } from '../../experiments/compare/arms.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { CHARTS, type ChartDefinition } from '../curves/chartDefinitions.ts';
import { lineIn, type SeriesDefinition, type SeriesKey } from '../curves/series.ts';
import { labStrings } from '../strings/labStrings.ts';

/** Metrics of a run in this browser, which the chart shows in addition to the recorded values. */
export interface LocalCurve {
  readonly seed: number;
  readonly metrics: readonly Metrics[];
}

const RECORDED = 'fact:recorded' as const;
const formatLocalKey = (seed: number): SeriesKey => `fact:own${seed}`;

/** Returns a metric of an update by its name in a result file, where `facts` have no prefix. NaN if it is missing. */
export function valueNamed(row: Metrics, name: string): number {
  const [kind, fact] = name.split(':');
  if (kind === 'heldOut' && fact !== undefined) return row.heldOut?.[fact] ?? Number.NaN;
  const value = (row as unknown as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value : (row.facts?.[name] ?? Number.NaN);
}

/** Returns the label of a curve of a result file. */
export function curveLabel(environment: EnvironmentName, name: string): string {
  for (const key of [name, `fact:${name}`]) {
    const match = CHARTS[environment].main.series.find((line) => line.key === key);
    if (match) return match.label;
  }
  try {
    return lineIn(environment, `fact:${name}`).label;
  } catch {
    return name;
  }
}

/**
 * Returns the title of an arm: "MT-GRPO", "VeRPO norm=std" (changed settings), or every rule of a run with switches:
 * "MT-GRPO, from update 40 GRPO-OR, from update 100 MT-GRPO".
 */
export function armTitle({ name, rule, switch: change }: Arm): string {
  const titleOf = (arm: string, of: Arm['rule']) => [ruleTitle(of), ...arm.split(':').slice(1)].join(' ');
  const title = titleOf(name.split('>')[0] ?? '', rule);
  if (!change) return title;
  const next = titleOf(change.to.name, change.to.rule);
  const first = change.habit ? labStrings.runs.switched(next, change.habit, title) : title;
  return labStrings.runs.switched(first, change.step, next);
}

/**
 * Returns a chart of one curve of an arm: the recorded mean with the range over seeds, and the runs in this browser.
 * @param request arm, title and name of the curve, and length of a run [updates]
 */
export function claimCurve(
  { curves }: Pick<ExperimentResult, 'curves'>,
  {
    arm,
    title,
    name,
    steps,
  }: { readonly arm: string; readonly title: string; readonly name: string; readonly steps: number },
  localCurves: readonly LocalCurve[],
): { readonly chart: ChartDefinition; readonly metrics: readonly Metrics[] } {
  const texts = labStrings.curves;
  const mean = curves.of[arm]?.[name];
  const [least, maximum] = [curves.least?.[arm]?.[name], curves.maximum?.[arm]?.[name]];
  const style = { sparse: false, lasting: true } as const;
  const recorded: SeriesDefinition = {
    ...{ key: RECORDED, label: texts.recorded, short: texts.recordedShort, colour: '--series-4', dash: '7 4' },
    ...style,
  };
  const series = localCurves.map(({ seed }, index): SeriesDefinition => {
    const label = texts.here(seed);
    const last = index === localCurves.length - 1;
    return { key: formatLocalKey(seed), label, short: label, colour: '--series-1', dash: '', ...style, thin: !last };
  });
  return {
    chart: {
      ...{
        id: `lab-${arm}-${name}`.replace(/[^\w-]+/g, '-'),
        title,
        caption: least ? texts.band : mean ? texts.noBand : texts.noRecord,
      },
      ...{ series: mean ? [...series, recorded] : series, bounds: [0, 1] as const, lastStep: steps },
      format: CHARTS.search.main.format,
      ...(least && maximum ? { band: { low: 'fact:low', high: 'fact:high', colour: '--series-4' } as const } : {}),
    },
    metrics: rowsOf({ every: curves.every, mean, least, maximum }, name, steps, localCurves),
  };
}

interface Recorded {
  readonly every: number;
  readonly mean: readonly (number | null)[] | undefined;
  readonly least: readonly (number | null)[] | undefined;
  readonly maximum: readonly (number | null)[] | undefined;
}

function rowsOf(
  { every, mean, least, maximum }: Recorded,
  name: string,
  steps: number,
  localCurves: readonly LocalCurve[],
) {
  const values = localCurves.map(({ metrics }) => new Map(metrics.map((row) => [row.step, valueNamed(row, name)])));
  const there = mean || localCurves.some(({ metrics }) => metrics.length > 0) ? steps : 0;
  return Array.from({ length: there }, (_, step): Metrics => {
    const facts = {
      ...Object.fromEntries(
        localCurves.map(({ seed }, index) => [`own${seed}`, values[index]?.get(step) ?? Number.NaN]),
      ),
      recorded: between(mean, step / every),
      low: between(least, step / every),
      high: between(maximum, step / every),
    };
    return { step, facts } as unknown as Metrics;
  });
}

/** Returns the value at a position between values recorded at every nth update, by linear interpolation. */
function between(values: readonly (number | null)[] | undefined, at: number): number {
  const [before, after] = [values?.[Math.floor(at)], values?.[Math.ceil(at)]];
  if (before == null || after == null) return Number.NaN;
  return before + (after - before) * (at - Math.floor(at));
}
