import { html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { inWorld } from '../../training/data/worlds.ts';
import { announcement } from '../look/announcement.ts';
import { appStyles } from './appStyles.ts';
import '../curves/curves.ts';
import type { NamedWorldEvent } from '../controls/controlsPanel.ts';
import '../controls/controlsPanel.ts';
import './deviceLine.ts';
import type { GoEvent } from './contents.ts';
import type { EngineEvent, PaceEvent } from './deviceLine.ts';
import './fullPage.ts';
import type { LaneEvent } from '../lanes/lanesBar.ts';
import '../lanes/lanesBar.ts';
import type { SeriesEvent } from '../lanes/seedPanel.ts';
import type { SeveralRunsEvent } from '../lanes/severalRuns.ts';
import './introduction.ts';
import type { EnvironmentEvent, PresetEvent } from './introduction.ts';
import './noEngine.ts';
import './notices.ts';
import './pageHeader.ts';
import type { ParameterChangeEvent } from '../controls/parameterControl.ts';
import './troubleNotice.ts';
import type { ImportEvent, RunAction, RunListEvent } from '../runs/runList.ts';
import type { ShareAction, ShareEvent, ViewEvent } from './sharePanel.ts';
import type { ProblemEvent } from './troubleNotice.ts';
import './themeSwitch.ts';
import type { SeedEvent, TransportEvent } from '../controls/transport.ts';
import type { TruthCommandEvent } from '../truth/truthPanel.ts';
import '../controls/warmStartPanel.ts';
import { type InspectorPanel, type Panel, panelsAt } from '../address/panels.ts';
import type { Place } from '../address/place.ts';
import type { GroupCommandEvent } from '../group/groupPanel.ts';
import { base } from '../look/styles.ts';
import { presetOf } from '../runs/naming.ts';
import { RunController } from '../runs/runController.ts';
import { paceStrings } from '../strings/paceStrings.ts';
import { strings } from '../strings/strings.ts';
import { KeyController } from './keyController.ts';
import { goTo, targetsOf } from './places.ts';
import { showOwnRule } from './showOwnRule.ts';

/** The page: it shows what the run is and passes on what the visitor does, and has no other behaviour. */
@customElement('tw-app')
export class TurnwiseApp extends LitElement {
  static override styles = [base, appStyles];

  private readonly run = new RunController(this);
  private readonly keys = new KeyController(this, this.run, () => this.hidden === true || this.place !== 'play');
  /** Where the visitor is: both places are of the same run. */
  @property() place: 'play' | 'inspect' = 'play';
  /** There is no way to other places. */
  @property({ type: Boolean }) alone = false;
  private inspected = false;

  constructor() {
    super();
    this.addEventListener('go', (event) => goTo(this.renderRoot, (event as GoEvent).detail));
    this.addEventListener('own-rule', () => void showOwnRule(this, this.run.url.view.panels, this.panels));
    this.run.session.onForeignRule = (rule) => void showOwnRule(this, this.run.url.view.panels, this.panels, rule);
  }

  /** What lies below the curves is loaded once they are there. */
  protected override firstUpdated(): void {
    import('./laterPanels.ts').catch((error: Error) => this.run.tell(strings.shell.notLoaded(error.message)));
  }

  protected override render() {
    const { session, url, lanes } = this.run;
    const { model } = lanes.shown;
    const { embed } = url.view;
    const { environment } = model.configuration;
    const targets = targetsOf(url.view, 'play', this.alone);
    const away = this.place !== 'play';
    return html`
      ${targets.includes('curves') && !away ? this.skip() : nothing}
      <tw-page-header ?hidden=${away} .status=${model.status} .step=${model.step} .planned=${model.planned}
        .happened=${model.happened} @drop-plan=${() => this.run.dropPlan()}
        .environment=${environment} .settings=${model.configuration.settings} .rule=${String(model.controls.rule ?? '')}
        .seed=${model.configuration.seed} .targets=${targets}
        @parameter-change=${this.change} @transport=${this.transport}
        @seed=${(event: SeedEvent) => this.run.seed(event.detail)}></tw-page-header>
      <main id="main" tabindex="-1">
        <div class="column" ?hidden=${away}>
        ${this.opening()}
        ${
          model.warmStart
            ? html`<tw-warm-start .progress=${model.warmStart}
            @cancel-warm-start=${() => this.run.cancelWarmStart()}></tw-warm-start>`
            : nothing
        }
        <tw-model-making ?hidden=${!model.making} .progress=${model.making} .status=${model.status} @transport=${this.transport}></tw-model-making>
        ${this.curvesAndControls()}
        <tw-device-line .device=${model.device} .latest=${model.metrics.at(-1)} .stepsPerSecond=${model.stepsPerSecond}
          .pace=${session.pace} .status=${model.status}
          @engine=${(event: EngineEvent) => lanes.changeEngine(event.detail)}
          @pace=${(event: PaceEvent) => lanes.pace(event.detail)}></tw-device-line>
        ${this.shows('chart') || this.shows('curves') ? nothing : this.group()}
        </div>
        ${this.inspector()}
        <div class="column" ?hidden=${away}>${this.ownRulePanel()} ${this.records()}</div>
        ${embed ? nothing : html`<tw-words></tw-words>`}
      </main>
      ${embed ? html`<tw-full-page .configuration=${session.model.link} .beside=${lanes.links}></tw-full-page>` : html`<footer><span>${strings.footer.text}</span>${this.keySwitch()}<tw-theme-switch></tw-theme-switch></footer>`}
      <p class="visually-hidden" role="status">${announcement(model)}</p>
    `;
  }

  private keySwitch() {
    const { label, help } = paceStrings.keys;
    return html`<label class="keys" title=${help}><input type="checkbox" .checked=${this.keys.on}
      @change=${(event: Event) => this.keys.turn((event.target as HTMLInputElement).checked)} />${label}</label>`;
  }

  private skip() {
    const { shortcuts, skip } = strings.shell.contents;
    return html`<nav aria-label=${shortcuts}>
      <button class="skip" @click=${() => goTo(this.renderRoot, 'curves')}>${skip}</button>
    </nav>`;
  }

  private shows(panel: Panel, place: Place = 'play'): boolean {
    return panelsAt(place, this.run.url.view.panels, this.alone).includes(panel);
  }

  /** A group of the run, between its main chart and its other charts. */
  private group() {
    if (!this.shows('group')) return nothing;
    const { lanes } = this.run;
    const { model } = lanes.shown;
    return keyed(
      lanes.shown,
      html`<tw-group slot="group" .group=${model.group} .untied=${model.untied} .push=${model.push} .controls=${model.controls}
        .environment=${model.configuration.environment} .status=${model.status}
        @group-command=${this.command}></tw-group>`,
    );
  }

  /** What is looked at whatever the run does: files, measurements, programs. Once opened it stays, also where the visitor goes on. */
  private inspector() {
    const { url, lanes } = this.run;
    const { model } = lanes.shown;
    const inspect = this.place === 'inspect';
    this.inspected ||= inspect;
    const had = (panel: InspectorPanel) => this.shows(panel) || (this.inspected && this.shows(panel, 'inspect'));
    const hidden = (panel: InspectorPanel) => !this.shows(panel, this.place);
    return html`
      ${inspect ? html`<tw-inspect-head .status=${model.status} .step=${model.step} @transport=${this.transport}></tw-inspect-head>` : nothing}
      ${had('inspector') ? html`<tw-inspector ?hidden=${hidden('inspector')} .live=${model.group} .controls=${model.controls}></tw-inspector>` : nothing}
      ${
        had('truth')
          ? html`<tw-truth ?hidden=${hidden('truth')} .run=${model} .revision=${model.revision}
              @truth-command=${this.truth}></tw-truth>`
          : nothing
      }
      ${had('python') ? html`<tw-python ?hidden=${hidden('python')} ?alone=${url.view.panels.join() === 'python'}></tw-python>` : nothing}
    `;
  }

  private ownRulePanel() {
    if (!this.shows('rule')) return nothing;
    const { model } = this.run.lanes.shown;
    return html`<tw-own-rule .live=${model.group} .controls=${model.controls} .environment=${model.configuration.environment}
      @parameter-change=${this.change}></tw-own-rule>`;
  }

  /** What this is, and everything that has to be said first. */
  private opening() {
    const { session, storage, url, notices, lanes } = this.run;
    const { model } = session;
    const { problems } = lanes.shown.model;
    const remaining = problems.filter(({ kind }) => kind !== 'no-engine');
    const told = storage.notice ? [...notices, storage.notice] : notices;
    return html`<div>
      <tw-introduction ?brief=${url.view.embed} .link=${model.link} .active=${presetOf(model.link)}
        .environment=${model.configuration.environment}
        @environment=${(event: EnvironmentEvent) => this.run.environment(event.detail)}
        @preset=${(event: PresetEvent) => this.run.preset(event.detail)}></tw-introduction>
      ${remaining.length < problems.length ? html`<tw-no-engine></tw-no-engine>` : nothing}
      <tw-problems .problems=${remaining} .checkpointStep=${lanes.shown.model.checkpoint?.step ?? null}
        @problem-action=${this.solve}></tw-problems>
      <tw-notices .notices=${told} @dismiss=${() => this.run.dismissNotices()}></tw-notices>
    </div>`;
  }

  private curvesAndControls() {
    const { lanes } = this.run;
    const { model } = lanes.shown;
    const [chart, curves, controls] = [this.shows('chart'), this.shows('curves'), this.shows('controls')];
    return html`<div class="top ${controls ? 'with-aside' : ''}">
      ${
        chart || curves
          ? html`<tw-curves .run=${model} .runs=${lanes.all.map((one) => one.model)} .revision=${this.revision}
              .main=${chart} .small=${curves}>${this.several()}${this.group()}</tw-curves>`
          : nothing
      }
      ${
        controls
          ? html`<aside aria-label=${strings.controls.region}>
              <tw-controls .environment=${model.configuration.environment} .values=${model.controls} .settings=${model.configuration.settings}
                @parameter-change=${this.change}
                @named-world=${(event: NamedWorldEvent) => this.run.enter(inWorld(event.detail, this.run.again()))}
                @world=${(event: CustomEvent<ParameterValues>) => this.run.enter({ ...this.run.again(), settings: event.detail })}
                @warm-start=${() => this.run.warmStart()}></tw-controls>
            </aside>`
          : nothing
      }
    </div>`;
  }

  /** Grows with everything that any run says. */
  private get revision(): number {
    return this.run.lanes.all.reduce((sum, { model }) => sum + model.revision, 0);
  }

  /** The runs side by side, where there are several, and how to have them. */
  private several() {
    const { lanes, url } = this.run;
    // Inside another page there is room for them where the link brings them.
    if (lanes.all.length === 1 && url.view.embed) return nothing;
    const { model } = lanes.shown;
    return html`${
      lanes.all.length > 1
        ? html`<tw-lanes slot="lanes" .runs=${lanes.all.map((one) => one.model)} .shown=${lanes.all.indexOf(lanes.shown)} .revision=${this.revision} @lane=${this.lane}></tw-lanes>`
        : nothing
    }<tw-several-runs .environment=${model.configuration.environment} .rule=${String(model.controls.rule ?? '')}
        ?room=${lanes.room} .inForce=${lanes.all.map((one) => String(one.model.controls.rule ?? ''))} @several-runs=${this.severalRuns}></tw-several-runs>
      ${
        lanes.series
          ? html`<tw-seeds .series=${lanes.series} .revision=${lanes.series.revision} @series=${this.series}></tw-seeds>`
          : nothing
      }`;
  }

  /** Shows other panels than the link chose. */
  private panels = (panels: readonly Panel[]): void => {
    const { url, session, lanes } = this.run;
    url.setView({ ...url.view, panels }, session.model.link, lanes.links);
    this.requestUpdate();
  };

  private lane = ({ detail: { act, index } }: LaneEvent): void => {
    const session = this.run.lanes.all[index];
    if (session) this.run.lanes[act](session);
  };

  private severalRuns = ({ detail }: SeveralRunsEvent): void => {
    if (detail.act === 'compare') this.run.compare(detail.rules);
    else if (detail.act === 'seeds') this.run.lanes.trainSeeds(detail.count, detail.steps);
    else void this.run.lanes.fork({ rule: detail.rule });
  };

  private series = ({ detail }: SeriesEvent): void => {
    const { lanes } = this.run;
    if (detail === 'train') lanes.goOnWithSeeds();
    else if (detail === 'stop') lanes.series?.stop();
    else lanes.closeSeries();
  };

  /** What happened, what is kept, and what can be taken along. */
  private records() {
    const { session, storage, url } = this.run;
    const { model } = this.run.lanes.shown;
    return html`<div class="bottom">
      ${this.shows('log') ? html`<tw-event-log .happened=${model.happened} .detected=${model.detected}></tw-event-log>` : nothing}
      ${
        this.shows('runs')
          ? html`<tw-run-list .runs=${storage.runs} .current=${session.id}
              .answer=${this.run.answers.at('runs')} .unkept=${storage.isForgotten(session.id)}
              @keep-run=${() => this.run.kept.keepAgain()} @run-action=${this.runAction}
              @import-run=${(event: ImportEvent) => this.run.kept.import(event.detail)}></tw-run-list>`
          : nothing
      }
      ${
        url.view.embed
          ? nothing
          : html`<tw-share .view=${url.view} .configuration=${session.model.link} .beside=${this.run.lanes.links} .answer=${this.run.answers.at('share')}
              @share=${this.share} @view=${this.view}></tw-share>`
      }
    </div>`;
  }

  private change = (event: ParameterChangeEvent): void => this.run.change(event.detail);

  private command = (event: GroupCommandEvent): void => this.run.lanes.shown.send(event.detail);

  private truth = (event: TruthCommandEvent): void => {
    const { shown } = this.run.lanes;
    if (event.detail.type === 'measure-truth') shown.model.expectTruth();
    shown.send(event.detail);
    this.requestUpdate();
  };

  private view = (event: ViewEvent): void =>
    this.run.url.setView(event.detail, this.run.session.model.link, this.run.lanes.links);

  private transport = (event: TransportEvent): void => {
    if (event.detail === 'reset') this.run.reset();
    else this.run.transport(event.detail);
  };

  private solve = (event: ProblemEvent): void => {
    const { action, problem } = event.detail;
    if (action === 'restart') this.run.restart();
    this.run.lanes.shown.model.dismiss(problem);
    this.requestUpdate();
  };

  private runAction = (event: RunListEvent): void => {
    const { action, run } = event.detail;
    const acts: Record<RunAction, () => Promise<void>> = {
      open: () => this.run.kept.open(run),
      remove: () => this.run.kept.remove(run),
      file: () => this.run.kept.download(run),
    };
    void acts[action]();
  };

  private share = (event: ShareEvent): void => {
    const acts: Record<ShareAction, () => unknown> = {
      link: () => this.run.copyLink(),
      csv: () => this.run.downloads.curves(),
      group: () => this.run.downloads.group(),
      run: () => this.run.downloads.run(),
    };
    void acts[event.detail]();
  };
}
