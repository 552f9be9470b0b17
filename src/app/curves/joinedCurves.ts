import { css, html } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Metrics } from '../../training/data/protocol.ts';
import { type LaneName, laneNames } from '../session/naming.ts';
import type { RunModel } from '../session/runModel.ts';
import { laneStrings } from '../strings/runStrings.ts';
import type { ChartDefinition } from './chartDefinitions.ts';
import { type Mark, marksOf } from './chartMarks.ts';
import { readerOf, type SeriesDefinition, seriesOf } from './series.ts';

/** One line of several runs, in the form of a chart of one run. */
export interface JoinedCurves {
  readonly chart: ChartDefinition;
  /** One row per step [steps]. `facts` has the value of each run, by the index of the run. */
  readonly metrics: readonly Metrics[];
  readonly marks: readonly Mark[];
  readonly names: readonly LaneName[];
}

const keyOf = (index: number) => `fact:${index}` as const;

/**
 * Joins the same line of several runs in one chart, with a colour and dash pattern for each run.
 * @param chart chart with the bounds and format of the values
 * @param line line of the chart
 */
export function joinedCurves(runs: readonly RunModel[], chart: ChartDefinition, line: SeriesDefinition): JoinedCurves {
  const names = laneNames(runs);
  const lines = seriesOf(...names.map(({ title, short }, index) => ({ key: keyOf(index), label: title, short })));
  const series = lines.map((definition) => ({ ...definition, sparse: line.sparse, lasting: true }));
  const { id, caption, series: _, when: __, ...axis } = chart;
  return {
    chart: {
      ...axis,
      ...{
        id: `${id}-runs`,
        title: laneStrings.chart.title(line.label),
        caption: laneStrings.chart.caption(runs.length),
      },
      series,
    },
    metrics: joinedRows(runs, line),
    marks: joinedMarks(runs, names),
    names,
  };
}

/**
 * Returns a row for each step of any run. For a step between two steps of a run, the row has the run's previous value,
 * unless the line is sparse.
 */
function joinedRows(runs: readonly Pick<RunModel, 'metrics'>[], { key, sparse }: SeriesDefinition): readonly Metrics[] {
  const read = readerOf(key);
  const lists = runs.map(({ metrics }) => metrics);
  const at = lists.map(() => 0);
  const joined: Metrics[] = [];
  for (;;) {
    const step = Math.min(...lists.map((rows, run) => rows[at[run] ?? 0]?.step ?? Infinity));
    if (step === Infinity) return joined;
    const facts: Record<string, number> = {};
    lists.forEach((rows, run) => {
      const index = at[run] ?? 0;
      const hasRow = rows[index]?.step === step;
      const row =
        hasRow || (!sparse && index > 0 && index < rows.length) ? rows[hasRow ? index : index - 1] : undefined;
      facts[run] = row ? read(row) : Number.NaN;
      if (hasRow) at[run] = index + 1;
    });
    joined.push({ step, facts } as Metrics);
  }
}

/**
 * Returns the marks of the changes in all runs. A mark that several runs share is listed once, for the first of them.
 */
function joinedMarks(runs: readonly RunModel[], names: readonly LaneName[]): readonly Mark[] {
  const reported = new Set<string>();
  return runs.flatMap(({ configuration, appliedEvents, planned }, index) => {
    const number = names[index]?.number ?? 0;
    return marksOf(configuration.environment, appliedEvents, planned).flatMap((mark): Mark[] => {
      const key = `${mark.step} ${mark.text} ${mark.label}`;
      if (reported.has(key)) return [];
      reported.add(key);
      const { mark: label, text } = laneStrings.chart;
      return [{ ...mark, label: mark.label && label(number, mark.label), text: text(number, mark.text) }];
    });
  });
}

/** Renders the choice of the line in a chart of several runs. @param choose receives the index of the chosen line */
export function lineChoice(series: readonly SeriesDefinition[], chosen: number, choose: (index: number) => void) {
  return html`<fieldset class="line-choice">
    <legend class="visually-hidden">${laneStrings.metric}</legend>
    ${series.map(
      ({ label }, index) => html`<label><input type="radio" name="line" .checked=${live(index === chosen)}
        @change=${() => choose(index)} />${label}</label>`,
    )}
  </fieldset>`;
}

export const lineChoiceStyles = css`
  .line-choice { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 0.5rem; padding: 0; border: 0; font-size: 0.875rem; }
  .line-choice label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.625rem; }
`;
