import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { CHARTS, type ChartDefinition } from '../curves/chartDefinitions.ts';
import '../curves/lineChart.ts';
import { confidence } from '../../experiments/inference/inference.ts';
import { mean } from '../../experiments/statistics.ts';
import type { Metrics } from '../../training/data/protocol.ts';
import { lineChoice, lineChoiceStyles } from '../curves/joinedCurves.ts';
import type { ChartCursorEvent } from '../curves/lineChart.ts';
import { readerOf, type SeriesDefinition, type SeriesKey } from '../curves/series.ts';
import { base } from '../look/styles.ts';
import type { SeedRun, SeedSeries } from '../runs/trainingQueue.ts';
import { describeRun } from '../session/naming.ts';
import { laneStrings } from '../strings/runStrings.ts';

/** Event that requests to train, stop or close a series. */
export class SeriesEvent extends CustomEvent<'train' | 'stop' | 'close'> {
  constructor(act: 'train' | 'stop' | 'close') {
    super('series', { detail: act, bubbles: true, composed: true });
  }
}

/**
 * Panel of a series of seeds: progress, remaining time, and curves with their mean and its 95 % interval.
 * @fires series when the user requests to train, stop or close the series (SeriesEvent)
 */
@customElement('tw-seeds')
export class SeedPanel extends LitElement {
  static override styles = [
    base,
    lineChoiceStyles,
    css`
      section { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
      .line { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; font-size: 0.875rem;
        font-variant-numeric: tabular-nums; margin-bottom: 0.375rem; }
      progress { width: 9rem; accent-color: var(--accent); }
    `,
  ];

  @property({ attribute: false }) series!: SeedSeries;
  /** Text that changes with the series, because the series changes in place. */
  @property() revision = '';
  @state() private line = 0;
  @state() private cursor: number | null = null;

  protected override render() {
    const texts = laneStrings.seeds;
    const { series } = this;
    const { configuration, count, finished, running, problem, updates } = series;
    const { main } = CHARTS[configuration.environment];
    const line = main.series[this.line];
    const description = describeRun(configuration, []);
    return html`<section aria-labelledby="title" @chart-cursor=${this.follow}>
      <h3 id="title" class="visually-hidden">${texts.title}</h3>
      <div class="line">
        <progress max=${updates.all} .value=${updates.done} aria-label=${texts.title}></progress>
        <span role="status">${texts.finished(finished, count)}</span>
        ${running ? html`<span>${texts.left(series.left)}</span>` : nothing}
        ${problem === undefined ? nothing : html`<span>${problem}</span>`}
        ${
          running
            ? html`<button class="small" @click=${() => this.dispatchAction('stop')}>${texts.stop}</button>`
            : finished < count
              ? html`<button class="small" @click=${() => this.dispatchAction('train')}>${texts.goOn}</button>`
              : nothing
        }
        <button class="small" @click=${() => this.dispatchAction('close')}>${texts.close}</button>
      </div>
      ${lineChoice(main.series, this.line, (index) => {
        this.line = index;
      })}
      ${line ? this.chart(seedCurves(series.seeds, main, line), () => texts.about(description, count)) : nothing}
    </section>`;
  }

  private chart({ chart, metrics }: ReturnType<typeof seedCurves>, about: () => string) {
    return html`<tw-line-chart large .chart=${chart} .metrics=${metrics} .about=${about}
      .cursor=${this.cursor} .noPoint=${laneStrings.seeds.noPoint}></tw-line-chart>`;
  }

  private follow(event: ChartCursorEvent): void {
    event.stopPropagation();
    this.cursor = event.detail;
  }

  private dispatchAction(act: 'train' | 'stop' | 'close'): void {
    this.dispatchEvent(new SeriesEvent(act));
  }
}

const MEAN = 'fact:mean' as const;
/** Minimum number of seeds for the interval. With two seeds it is wider than the chart. */
const LEAST = 3;
const seedKey = (seed: number): SeriesKey => `fact:seed${seed}`;

/**
 * Returns a chart of one line of a series of seeds: a thin line for each seed and a bold line for the mean over the
 * completed seeds. With at least three completed seeds, it includes the 95 % interval of the mean by Student's t.
 * @param line line of the chart
 */
export function seedCurves(
  runs: readonly SeedRun[],
  chart: ChartDefinition,
  line: SeriesDefinition,
): { readonly chart: ChartDefinition; readonly metrics: readonly Metrics[] } {
  const texts = laneStrings.seeds.chart;
  const { id, series: _, when: __, ...axis } = chart;
  const { sparse, colour } = line;
  const done = runs.filter((run) => run.done).length;
  const style = { colour, dash: '', sparse, lasting: true } as const;
  const seeds = runs.map(({ seed }): SeriesDefinition => {
    const label = laneStrings.seed(seed);
    return { key: seedKey(seed), label, short: label, ...style, thin: true };
  });
  const average: SeriesDefinition = { key: MEAN, label: texts.mean(done), short: texts.short, ...style };
  return {
    chart: {
      ...axis,
      ...{ id: `${id}-seeds`, title: texts.title(line.label), caption: texts.caption },
      series: done > 0 ? [...seeds, average] : seeds,
      band: { low: 'fact:low', high: 'fact:high', colour },
    },
    metrics: rowsOf(runs, line, axis.bounds),
  };
}

function rowsOf(
  runs: readonly SeedRun[],
  { key }: SeriesDefinition,
  [least, maximum]: readonly [number, number] = [-Infinity, Infinity],
): readonly Metrics[] {
  const read = readerOf(key);
  const steps = [...new Set(runs.flatMap(({ metrics }) => metrics.map(({ step }) => step)))].sort((a, b) => a - b);
  const values = runs.map(({ metrics }) => new Map(metrics.map((row) => [row.step, read(row)])));
  return steps.map((step) => {
    const seedValues = runs.map(({ seed }, index) => [`seed${seed}`, values[index]?.get(step) ?? Number.NaN] as const);
    const done = runs
      .flatMap((run, index) => (run.done ? (values[index]?.get(step) ?? []) : []))
      .filter(Number.isFinite);
    const center = done.length > 0 ? mean(done) : Number.NaN;
    const half = done.length >= LEAST ? confidence(done) : Number.NaN;
    const facts = {
      ...Object.fromEntries(seedValues),
      mean: center,
      low: Math.max(least, center - half),
      high: Math.min(maximum, center + half),
    };
    return { step, facts } as unknown as Metrics;
  });
}
