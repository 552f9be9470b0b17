import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../look/styles.ts';
import { describeRun } from '../session/naming.ts';
import type { RunModel } from '../session/runModel.ts';
import { strings } from '../strings/strings.ts';
import { CHARTS, type ChartDefinition, filterChartLines } from './chartDefinitions.ts';
import type { ChartCursorEvent } from './lineChart.ts';
import './lineChart.ts';
import { type Mark, marksOf, runBands, type StepBand } from './chartMarks.ts';
import { type JoinedCurves, joinedCurves, lineChoice, lineChoiceStyles } from './joinedCurves.ts';

/** Window height below which the main chart is lower, to leave room for the group below it [px]. */
const LOW = 900;

const NO_BANDS: readonly StepBand[] = [];

/** All charts of the run, with a shared cursor. The group is between the main chart and the small charts. */
@customElement('tw-curves')
export class Curves extends LitElement {
  static override styles = [
    base,
    lineChoiceStyles,
    css`
      /* The group of the run is between the main chart and the others. */
      section { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; }
      .card { min-width: 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
      .more { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
      .more > *, .more ::slotted(*) { flex: 1 1 20rem; min-width: 0; }
      .more tw-why { flex-grow: 2; }
      /* Unfolded elements have the full width. */
      .more > [open], .more ::slotted([open]), .more ::slotted(tw-seeds) { flex-basis: 100%; }
      .small {
        display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13.5rem), 1fr)); gap: 1rem 1.25rem;
      }
    `,
  ];

  /** Selected run. */
  @property({ attribute: false }) run!: RunModel;
  /** All runs. Several runs share the main chart, with one line per run. */
  @property({ attribute: false }) runs: readonly RunModel[] = [];
  @property({ type: Number }) revision = 0;
  @property({ attribute: false }) main = true;
  @property({ attribute: false }) small = true;
  /** True to hide the tools of the main chart and the panels below it. */
  @property({ type: Boolean, reflect: true }) brief = false;
  @state() private cursor: number | null = null;
  /** Index of the line that the joint chart of several runs shows. */
  @state() private line = 0;
  private reported:
    | { readonly appliedEvents: RunModel['appliedEvents']; readonly planned: RunModel['planned'] }
    | undefined;
  private marks: readonly Mark[] = [];
  /** Joint chart of several runs. It is reused while only the cursor moves. */
  private joined: JoinedCurves | undefined;

  protected override willUpdate(changed: PropertyValues): void {
    if ([...changed.keys()].some((name) => name !== 'cursor')) this.joined = undefined;
  }

  protected override render() {
    const { appliedEvents, planned, configuration } = this.run;
    if (this.reported?.appliedEvents !== appliedEvents || this.reported.planned !== planned) {
      this.reported = { appliedEvents, planned };
      this.marks = marksOf(configuration.environment, appliedEvents, planned);
    }
    const { main, small } = CHARTS[configuration.environment];
    const low = innerHeight < LOW;
    const chart = (definition: ChartDefinition, large: boolean) => html`
      <tw-line-chart ?large=${large} ?brief=${this.brief} ?low=${large && low} .about=${this.about} .chart=${filterChartLines(definition, this.run)} .metrics=${this.run.metrics} .bands=${large && this.brief ? runBands(this.run) : NO_BANDS} .downsampled=${this.run.curve.downsampled}
        .marks=${this.marks} .revision=${this.revision} .cursor=${this.cursor} .noPoint=${strings.shell.noPoint[this.run.status]}></tw-line-chart>`;
    return html`
      <section aria-labelledby="title" @chart-cursor=${this.follow}>
        <h2 id="title" class="visually-hidden">${strings.charts.region}</h2>
        ${
          this.main
            ? html`<div class="card main"><slot name="lanes"></slot>${this.runs.length > 1 ? this.several(main) : chart(main, true)}
                <slot name="sentence"></slot>
                ${this.brief ? nothing : this.more()}
              </div>`
            : nothing
        }
        <slot name="group"></slot>
        ${
          this.small
            ? html`<div class="card"><div class="small">
                ${small.filter(({ when }) => when?.(this.run) ?? true).map((definition) => chart(definition, false))}
              </div>${this.renderTerms()}</div>`
            : nothing
        }
      </section>
    `;
  }

  private renderTerms() {
    return html`<tw-words-here panel="curves" environment=${this.run.configuration.environment}></tw-words-here>`;
  }

  /** Renders one line per run in one chart, and the choice of the line. */
  private several(main: ChartDefinition) {
    const { series } = filterChartLines(main, this.run);
    const index = Math.min(this.line, series.length - 1);
    const line = series[index];
    if (!line) return nothing;
    this.joined ??= joinedCurves(this.runs, main, line);
    const { chart, metrics, marks } = this.joined;
    return html`${lineChoice(series, index, (chosen) => {
      this.line = chosen;
    })}
      <tw-line-chart large ?brief=${this.brief} ?low=${innerHeight < LOW} .about=${this.about} .chart=${chart} .metrics=${metrics} .marks=${marks}
        .revision=${this.revision} .cursor=${this.cursor} .noPoint=${strings.shell.noPoint[this.run.status]}></tw-line-chart>`;
  }

  private more() {
    const { configuration, metrics } = this.run;
    return html`<div class="more"><slot></slot>
        <tw-why .environment=${configuration.environment} .metrics=${metrics} .revision=${this.revision}></tw-why></div>
      ${this.small ? nothing : this.renderTerms()}`;
  }

  private about = (): string => describeRun(this.run.configuration, this.run.appliedEvents);

  private follow(event: ChartCursorEvent): void {
    this.cursor = event.detail;
  }
}
