import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { CHARTS } from '../curves/chartDefinitions.ts';
import type { ChartCursorEvent } from '../curves/lineChart.ts';
import '../curves/lineChart.ts';
import { lineChoice, lineChoiceStyles } from '../curves/joinedCurves.ts';
import { base } from '../look/styles.ts';
import type { SeedSeries } from '../runs/seedSeries.ts';
import { describeRun } from '../session/naming.ts';
import { laneStrings } from '../strings/runStrings.ts';
import { seedCurves } from './seedCurves.ts';

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
    const { configuration, count, steps, finished, running, problem } = series;
    const { main } = CHARTS[configuration.environment];
    const line = main.series[this.line];
    const all = count * steps;
    const done = series.runs.reduce((sum, { metrics, done }) => sum + (done ? steps : metrics.length), 0);
    const description = describeRun(configuration, []);
    return html`<section aria-labelledby="title" @chart-cursor=${this.follow}>
      <h3 id="title" class="visually-hidden">${texts.title}</h3>
      <div class="line">
        <progress max=${all} .value=${done} aria-label=${texts.title}></progress>
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
      ${line ? this.chart(seedCurves(series.runs, main, line), () => texts.about(description, count)) : nothing}
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
