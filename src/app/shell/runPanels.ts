import { html, type LitElement, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { inWorld } from '../../training/data/worlds.ts';
import type { NamedWorldEvent } from '../controls/controlsPanel.ts';
import type { GroupCommandEvent } from '../group/groupPanel.ts';
import type { LaneEvent } from '../lanes/lanesBar.ts';
import type { SeriesEvent } from '../lanes/seedPanel.ts';
import type { SeveralRunsEvent } from '../lanes/severalRuns.ts';
import type { ParameterChangeEvent } from '../look/pageEvent.ts';
import type { RunController } from '../runs/runController.ts';
import type { ImportEvent, RunAction, RunListEvent } from '../runs/runList.ts';
import { strings } from '../strings/strings.ts';
import type { ShareAction, ShareEvent, ViewEvent } from './sharePanel.ts';

/** Parts of the charts to render. */
interface ChartParts {
  readonly main: boolean;
  readonly small: boolean;
  /** True to hide the tools of the main chart and the panels below it. */
  readonly brief?: boolean;
  /** Content of the slots. */
  readonly content?: unknown;
}

/** Renders the panels of the selected run, for all layouts of the page. */
export class RunPanels {
  constructor(
    private readonly page: LitElement,
    private readonly run: RunController,
  ) {}

  /** Number that changes with each message of a run. */
  get revision(): number {
    return this.run.all.reduce((sum, { model }) => sum + model.revision, 0);
  }

  group(): TemplateResult {
    const { selected } = this.run;
    const { model } = selected;
    return html`${keyed(
      selected,
      html`<tw-group .group=${model.group} .untied=${model.untied} .push=${model.push} .controls=${model.controls}
        .environment=${model.configuration.environment} .status=${model.status}
        @group-command=${(event: GroupCommandEvent) => selected.send(event.detail)}></tw-group>`,
    )}`;
  }

  controls(): TemplateResult {
    const { run } = this;
    const { configuration, controls } = run.selected.model;
    return html`<div class="controls" role="complementary" aria-label=${strings.controls.region}>
      <tw-controls .environment=${configuration.environment} .values=${controls} .settings=${configuration.settings}
        @parameter-change=${this.change}
        @named-world=${(event: NamedWorldEvent) => run.enter(inWorld(event.detail, run.again()))}
        @world=${(event: CustomEvent<ParameterValues>) => run.enter({ ...run.again(), settings: event.detail })}
        @warm-start=${() => run.dispatch({ type: 'warm-start' })}></tw-controls>
    </div>`;
  }

  charts({ main, small, brief = false, content = nothing }: ChartParts): TemplateResult {
    const { run } = this;
    return html`<tw-curves .run=${run.selected.model} .runs=${run.all.map(({ model }) => model)} .revision=${this.revision}
      .main=${main} .small=${small} ?brief=${brief}>${content}</tw-curves>`;
  }

  slowDevice(): TemplateResult {
    return html`<tw-slow-device .run=${this.run.selected.model} .revision=${this.revision}
      @parameter-change=${this.change}></tw-slow-device>`;
  }

  sentence(): TemplateResult {
    return html`<tw-sentence slot="sentence" .run=${this.run.selected.model} .revision=${this.revision}></tw-sentence>`;
  }

  /** Renders the list of runs, if there are several. */
  lanes() {
    const { run } = this;
    if (run.all.length === 1) return nothing;
    return html`<tw-lanes slot="lanes" .runs=${run.all.map(({ model }) => model)} .selectedIndex=${run.all.indexOf(run.selected)}
      .revision=${this.revision} @lane=${this.lane}></tw-lanes>`;
  }

  /** Renders the controls to compare runs, and the series of seeds. */
  compare(isUnfolded: boolean): TemplateResult {
    const { run } = this;
    const { model } = run.selected;
    return html`<tw-several-runs .environment=${model.configuration.environment} .rule=${String(model.controls.rule ?? '')}
        ?hascapacity=${run.hasCapacity} ?unfolded=${isUnfolded} .inForce=${run.all.map((lane) => String(lane.model.controls.rule ?? ''))} @several-runs=${this.severalRuns}></tw-several-runs>
      ${
        run.series
          ? html`<tw-seeds .series=${run.series} .revision=${run.series.revision} @series=${this.series}></tw-seeds>`
          : nothing
      }`;
  }

  customRule(): TemplateResult {
    const { model } = this.run.selected;
    return html`<tw-own-rule .live=${model.group} .controls=${model.controls} .environment=${model.configuration.environment}
      @parameter-change=${this.change}></tw-own-rule>`;
  }

  log(): TemplateResult {
    const { model } = this.run.selected;
    return html`<tw-event-log .appliedEvents=${model.appliedEvents} .detected=${model.detected} .samples=${model.samples}></tw-event-log>`;
  }

  runs(): TemplateResult {
    const { storage, session, answers } = this.run;
    return html`<tw-run-list .runs=${storage.runs} .current=${session.id}
      .answer=${answers.at('runs')} .isUnsaved=${storage.isRemoved(session.id)}
      @keep-run=${() => this.run.resave()} @run-action=${this.runAction}
      @import-run=${(event: ImportEvent) => this.run.dispatch({ type: 'import', file: event.detail })}></tw-run-list>`;
  }

  share(): TemplateResult {
    const { url, session, links, answers } = this.run;
    return html`<tw-share .view=${url.view} .configuration=${session.model.link} .compared=${links} .answer=${answers.at('share')}
      @share=${this.shareAction}
      @view=${(event: ViewEvent) => url.setView(event.detail, session.model.link, links)}></tw-share>`;
  }

  private change = (event: ParameterChangeEvent): void => this.run.change(event.detail);

  private lane = ({ detail: { act, index } }: LaneEvent): void => this.run.lane(act, index);

  private severalRuns = ({ detail }: SeveralRunsEvent): void => {
    if (detail.act === 'compare') this.run.compare(detail.rules);
    else if (detail.act === 'seeds')
      void this.run.dispatch({ type: 'seeds', count: detail.count, steps: detail.steps });
    else void this.run.dispatch({ type: 'fork', changes: { rule: detail.rule } });
  };

  private series = ({ detail }: SeriesEvent): void => {
    if (detail === 'stop') this.run.series?.stop();
    else void this.run.dispatch({ type: detail === 'train' ? 'train-seeds' : 'close-series' });
    this.page.requestUpdate();
  };

  private runAction = (event: RunListEvent): void => {
    const { action, run } = event.detail;
    const acts: Record<RunAction, () => Promise<void>> = {
      open: () => this.run.dispatch({ type: 'open-saved', summary: run }),
      remove: () => this.run.removeSaved(run),
      file: () => this.run.downloads.saved(run),
    };
    void acts[action]();
  };

  private shareAction = (event: ShareEvent): void => {
    const { downloads } = this.run;
    const acts: Record<ShareAction, () => unknown> = {
      link: () => this.run.copyLink(),
      csv: () => downloads.curves(),
      group: () => downloads.group(),
      run: () => downloads.run(),
    };
    void acts[event.detail]();
  };
}
