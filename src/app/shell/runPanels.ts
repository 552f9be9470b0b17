import { html, type LitElement, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { inWorld } from '../../training/data/worlds.ts';
import type { NamedWorldEvent } from '../controls/controlsPanel.ts';
import type { ParameterChangeEvent } from '../controls/parameterChangeEvent.ts';
import type { GroupCommandEvent } from '../group/groupPanel.ts';
import type { LaneEvent } from '../lanes/lanesBar.ts';
import type { SeriesEvent } from '../lanes/seedPanel.ts';
import type { SeveralRunsEvent } from '../lanes/severalRuns.ts';
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
    return this.run.lanes.all.reduce((sum, { model }) => sum + model.revision, 0);
  }

  group(): TemplateResult {
    const { lanes } = this.run;
    const { model } = lanes.selected;
    return html`${keyed(
      lanes.selected,
      html`<tw-group .group=${model.group} .untied=${model.untied} .push=${model.push} .controls=${model.controls}
        .environment=${model.configuration.environment} .status=${model.status}
        @group-command=${(event: GroupCommandEvent) => lanes.selected.send(event.detail)}></tw-group>`,
    )}`;
  }

  controls(): TemplateResult {
    const { run } = this;
    const { configuration, controls } = run.lanes.selected.model;
    return html`<div class="controls" role="complementary" aria-label=${strings.controls.region}>
      <tw-controls .environment=${configuration.environment} .values=${controls} .settings=${configuration.settings}
        @parameter-change=${this.change}
        @named-world=${(event: NamedWorldEvent) => run.enter(inWorld(event.detail, run.again()))}
        @world=${(event: CustomEvent<ParameterValues>) => run.enter({ ...run.again(), settings: event.detail })}
        @warm-start=${() => run.warmStart()}></tw-controls>
    </div>`;
  }

  charts({ main, small, brief = false, content = nothing }: ChartParts): TemplateResult {
    const { lanes } = this.run;
    return html`<tw-curves .run=${lanes.selected.model} .runs=${lanes.all.map(({ model }) => model)} .revision=${this.revision}
      .main=${main} .small=${small} ?brief=${brief}>${content}</tw-curves>`;
  }

  slowDevice(): TemplateResult {
    return html`<tw-slow-device .run=${this.run.lanes.selected.model} .revision=${this.revision}
      @parameter-change=${this.change}></tw-slow-device>`;
  }

  sentence(): TemplateResult {
    return html`<tw-sentence slot="sentence" .run=${this.run.lanes.selected.model} .revision=${this.revision}></tw-sentence>`;
  }

  /** Renders the list of runs, if there are several. */
  lanes() {
    const { lanes } = this.run;
    if (lanes.all.length === 1) return nothing;
    return html`<tw-lanes slot="lanes" .runs=${lanes.all.map(({ model }) => model)} .selectedIndex=${lanes.all.indexOf(lanes.selected)}
      .revision=${this.revision} @lane=${this.lane}></tw-lanes>`;
  }

  /** Renders the controls to compare runs, and the series of seeds. */
  compare(isUnfolded: boolean): TemplateResult {
    const { lanes } = this.run;
    const { model } = lanes.selected;
    return html`<tw-several-runs .environment=${model.configuration.environment} .rule=${String(model.controls.rule ?? '')}
        ?hascapacity=${lanes.hasCapacity} ?unfolded=${isUnfolded} .inForce=${lanes.all.map((lane) => String(lane.model.controls.rule ?? ''))} @several-runs=${this.severalRuns}></tw-several-runs>
      ${
        lanes.series
          ? html`<tw-seeds .series=${lanes.series} .revision=${lanes.series.revision} @series=${this.series}></tw-seeds>`
          : nothing
      }`;
  }

  customRule(): TemplateResult {
    const { model } = this.run.lanes.selected;
    return html`<tw-own-rule .live=${model.group} .controls=${model.controls} .environment=${model.configuration.environment}
      @parameter-change=${this.change}></tw-own-rule>`;
  }

  log(): TemplateResult {
    const { model } = this.run.lanes.selected;
    return html`<tw-event-log .appliedEvents=${model.appliedEvents} .detected=${model.detected} .samples=${model.samples}></tw-event-log>`;
  }

  runs(): TemplateResult {
    const { storage, session, answers } = this.run;
    return html`<tw-run-list .runs=${storage.runs} .current=${session.id}
      .answer=${answers.at('runs')} .isUnsaved=${storage.isRemoved(session.id)}
      @keep-run=${() => this.run.saved.retrySave()} @run-action=${this.runAction}
      @import-run=${(event: ImportEvent) => this.run.importFile(event.detail)}></tw-run-list>`;
  }

  share(): TemplateResult {
    const { url, session, lanes, answers } = this.run;
    return html`<tw-share .view=${url.view} .configuration=${session.model.link} .compared=${lanes.links} .answer=${answers.at('share')}
      @share=${this.shareAction}
      @view=${(event: ViewEvent) => url.setView(event.detail, session.model.link, lanes.links)}></tw-share>`;
  }

  private change = (event: ParameterChangeEvent): void => this.run.change(event.detail);

  private lane = ({ detail: { act, index } }: LaneEvent): void => {
    const session = this.run.lanes.all[index];
    if (session) this.run.lanes[act](session);
  };

  private severalRuns = ({ detail }: SeveralRunsEvent): void => {
    if (detail.act === 'compare') this.run.compare(detail.rules);
    else if (detail.act === 'seeds') void this.run.lanes.trainSeeds(detail.count, detail.steps);
    else void this.run.lanes.fork({ rule: detail.rule });
  };

  private series = ({ detail }: SeriesEvent): void => {
    const { lanes } = this.run;
    if (detail === 'train') lanes.goOnWithSeeds();
    else if (detail === 'stop') lanes.series?.stop();
    else lanes.closeSeries();
    this.page.requestUpdate();
  };

  private runAction = (event: RunListEvent): void => {
    const { action, run } = event.detail;
    const acts: Record<RunAction, () => Promise<void>> = {
      open: () => this.run.openSaved(run),
      remove: () => this.run.saved.remove(run),
      file: () => this.run.saved.download(run),
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
