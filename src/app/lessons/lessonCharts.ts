import type { LineKey } from '../../environments/chart.ts';
import { valueIn } from '../../lessons/expectations.ts';
import type { Lesson } from '../../lessons/lesson.ts';
import { isShare } from '../../lessons/lineUnit.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { CHARTS, type ChartDefinition } from '../curves/chartDefinitions.ts';
import { lineIn, type SeriesDefinition, type SeriesKey, updateOf } from '../curves/series.ts';
import { plain } from '../drawing/numbers.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { type Prediction, predictedAt } from './prediction.ts';

/** Chart with its data. */
export interface LessonChart {
  readonly chart: ChartDefinition;
  readonly metrics: readonly Metrics[];
}

const COLOURS = ['--series-1', '--series-3', '--series-4'] as const;
const DASHES = ['', '2 3', '9 3 2 3'];

/** Returns the displayed label of a line, in sentence case. */
export function lineLabel(environment: EnvironmentName, line: string): string {
  const match = CHARTS[environment].main.series.find(({ key }) => key === line);
  const { label } = match ?? lineIn(environment, line as LineKey);
  return `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
}

/**
 * Creates the chart of one line for all runs of a lesson.
 * @param prediction predicted curve to draw as well; undefined if the line is not the predicted one
 * @param runs [runs] metrics of each run
 */
export function lessonChart(
  lesson: Lesson,
  environment: EnvironmentName,
  line: string,
  prediction: Prediction | undefined,
  runs: readonly (readonly Metrics[])[],
): LessonChart {
  const texts = lessonStrings.reveal;
  const predicted: readonly SeriesDefinition[] = prediction
    ? [
        {
          key: 'fact:predicted',
          label: texts.predicted,
          short: texts.short,
          colour: '--series-2',
          dash: '7 4',
          sparse: false,
          lasting: true,
        },
      ]
    : [];
  const series = lesson.runs.map(
    ({ label }, index): SeriesDefinition => ({
      ...{ key: runKey(index), label, short: label, lasting: true },
      ...{ colour: COLOURS[index % 3] ?? '--series-1', dash: DASHES[index % 3] ?? '' },
      // Held-out metrics are measured periodically, not at each update.
      sparse: line.startsWith('heldOut:'),
    }),
  );
  const share = isShare(environment, line);
  const title = lineLabel(environment, line);
  const id = `lesson-${lesson.name}-${line.replace(':', '-')}`;
  const caption = prediction ? texts.chart : captionOf(line, share);
  const chart = {
    id,
    title,
    caption,
    series: [...predicted, ...series],
    ...(share ? { bounds: [0, 1] as const, format: CHARTS[environment].main.format } : { least: 0, format: plain }),
    lastStep: stepsOf(lesson),
  };
  return { chart, metrics: rowsOf(lesson, line, prediction, runs) };
}

function captionOf(line: string, share: boolean): string {
  const { caption, counted, fact, groups, heldOut } = lessonStrings.reveal;
  if (line.startsWith('heldOut:')) return heldOut;
  if (!share) return counted;
  if (line.startsWith('fact:')) return fact;
  return line.includes('degenerate') ? groups : caption;
}

/** Returns the number of updates of the longest run. */
export function stepsOf({ runs }: Lesson): number {
  return Math.max(...runs.map(({ steps }) => steps));
}

const runKey = (index: number): SeriesKey => `fact:run${index}`;

/** Returns a row for each step of the lesson, also for future steps, so that the axis does not change. */
function rowsOf(
  lesson: Lesson,
  line: string,
  prediction: Prediction | undefined,
  runs: readonly (readonly Metrics[])[],
): readonly Metrics[] {
  const steps = stepsOf(lesson);
  const values = runs.map((metrics) => new Map(metrics.map((row) => [row.step, valueIn(row, line)])));
  return Array.from({ length: steps }, (_, step) => {
    const entries = values.map((runValues, index) => [`run${index}`, runValues.get(step) ?? Number.NaN] as const);
    const predicted = prediction ? predictedAt(prediction, updateOf({ step }), steps) : Number.NaN;
    return { step, facts: { ...Object.fromEntries(entries), predicted } } as unknown as Metrics;
  });
}
