import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { worldOf } from '../../training/data/worlds.ts';
import { GoEvent, type InspectorPanel, type Panel, panelsAt, type ViewName } from '../address/viewAddress.ts';
import type { RulePreviewEvent } from '../controls/ruleSwitch.ts';
import type { ParameterChangeEvent } from '../look/pageEvent.ts';
import '../controls/transport.ts';
import type { TransportEvent } from '../controls/transport.ts';
import '../curves/curves.ts';
import type { GroupPanel } from '../group/groupPanel.ts';
import '../sentence/runSentence.ts';
import { base } from '../look/styles.ts';
import { announcement, suggestedRule } from '../sentence/runSentence.ts';
import '../picture/groupPicture.ts';
import type { AttemptEvent } from '../picture/groupPicture.ts';
import type { SampleEvent } from '../runs/eventLog.ts';
import { RunController } from '../runs/runController.ts';
import type { StageEvent, StoryStage } from '../story/storyBar.ts';
import { tabStrings } from '../strings/shellStrings.ts';
import { strings } from '../strings/strings.ts';
import type { TruthCommandEvent } from '../truth/truthPanel.ts';
import { appStyles } from './appStyles.ts';
import './pageHeader.ts';
import type { PageHeader } from './pageHeader.ts';
import type { EngineEvent, EnvironmentEvent, PaceEvent, PresetEvent } from './settingsPanels.ts';
import './viewLinks.ts';
import { KeyController } from './keyController.ts';
import './notices.ts';
import type { ProblemEvent } from './notices.ts';
import { RunPanels } from './runPanels.ts';
import './settings.ts';
import type { KeysEvent, SeedEvent } from './settings.ts';
import { goTo, showCustomRule, type Tab, tabList, tabStyles, targetsOf } from './targets.ts';

/**
 * Views of a run (Playground, Inspector, Python). The Playground is the first screen with tabs below it. If a link
 * chooses panels, or the page is embedded, the panels are stacked instead.
 * @fires go when the user opens the share panel (GoEvent)
 */
@customElement('tw-app')
export class TurnwiseApp extends LitElement {
  static override styles = [base, appStyles, tabStyles];

  private readonly run = new RunController(this);
  private readonly keys = new KeyController(this, this.run, () => this.hidden === true || this.view !== 'play');
  private readonly panels = new RunPanels(this, this.run);
  /** Present view. All three views show the same run. */
  @property() view: 'play' | 'inspect' | 'python' = 'play';
  /** Path in the address after the name of the view. */
  @property({ attribute: false }) path: readonly string[] = [];
  /** True if the page has no links to other views. */
  @property({ type: Boolean }) isSinglePanel = false;
  /** Rule of the switch under the pointer or with the focus; otherwise empty. */
  @state() private preview = '';
  /** Open tab. No tab is open at first, so that the page shows only the first screen. */
  @state() private tab: Tab | undefined;
  /** Tabs that the user has opened. Their panels stay in the document. */
  private readonly opened = new Set<Tab>();
  /** Views that the user has visited. Their panels stay in the document. */
  private readonly visited = new Set<ViewName>();
  /** True if a guided tour is open. */
  @state() private isTouring = false;
  /** Present scene of the tour; null if no tour is open. */
  @state() private stage: StoryStage | null = null;

  constructor() {
    super();
    this.addEventListener('go', (event) => void goTo(this, (event as GoEvent).detail));
    this.addEventListener('sample', (event) => void this.openSample(event as SampleEvent));
    this.addEventListener('own-rule', () => void showCustomRule(this, this.run.url.view.panels, this.choosePanels));
    this.run.session.onForeignRule = (rule) =>
      void showCustomRule(this, this.run.url.view.panels, this.choosePanels, rule);
  }

  /** Selects the tab of a panel, if the panels are in tabs. */
  async select(tab: Tab | undefined): Promise<void> {
    if (tab === undefined || this.isStacked) return;
    this.tab = tab;
    await this.updateComplete;
  }

  /** Loads the panels that are not part of the first screen. */
  protected override firstUpdated(): void {
    import('./deferredPanels.ts').catch((error: Error) => this.run.notify(strings.shell.notLoaded(error.message)));
  }

  protected override willUpdate(_changed: PropertyValues<this>): void {
    if (this.tab) this.opened.add(this.tab);
  }

  protected override render() {
    const { session, url, selected, links } = this.run;
    const { model } = selected;
    const { embed } = url.view;
    const { environment } = model.configuration;
    const targets = targetsOf(url.view, 'play', this.isSinglePanel);
    const away = this.view !== 'play';
    return html`
      ${targets.includes('curves') && !away ? this.skip() : nothing}
      <tw-page-header ?hidden=${away} .status=${model.status} .step=${model.step} .planned=${model.planned}
        .appliedEvents=${model.appliedEvents} @drop-plan=${() => this.run.dropPlan()} ?suggests=${suggestedRule(model) !== undefined}
        .environment=${environment} .settings=${model.configuration.settings} .rule=${String(model.controls.rule ?? '')}
        .targets=${this.isStacked ? targets : []} @parameter-change=${this.change} @transport=${this.transport}
        @rule-preview=${(event: RulePreviewEvent) => {
          this.preview = event.detail ?? '';
        }}>${this.buttons()}</tw-page-header>
      <main id="main" tabindex="-1">
        <div class="column" ?hidden=${away}>
        ${this.opening()}
        ${
          model.warmStart
            ? html`<tw-warm-start .progress=${model.warmStart}
            @cancel-warm-start=${() => this.run.cancelWarmStart()}></tw-warm-start>`
            : nothing
        }
        ${this.isStacked ? this.stacked() : this.firstScreen()}
        </div>
        ${this.inspector()}
        ${this.isStacked ? html`<div class="column" ?hidden=${away}>${this.stackedRecords()}</div>` : nothing}
        ${this.isStacked && !embed ? html`<tw-words></tw-words>` : nothing}
      </main>
      ${embed ? html`<tw-full-page .configuration=${session.model.link} .compared=${links}></tw-full-page>` : nothing}
      <p class="visually-hidden" role="status">${announcement(model)}</p>
    `;
  }

  /** True if the panels are stacked: a link chooses them, or the page is embedded. */
  private get isStacked(): boolean {
    const { embed, panels } = this.run.url.view;
    return embed || this.isSinglePanel || panels.length > 0;
  }

  private buttons() {
    const { session, url, selected } = this.run;
    const share = () => this.dispatchEvent(new GoEvent('share'));
    return html`${url.view.embed ? nothing : html`<button @click=${share}>${tabStrings.share}</button>`}
      <tw-settings .run=${session.model} .selected=${selected.model} .revision=${this.panels.revision} .pace=${session.pace} ?keys=${this.keys.on}
        @environment=${(event: EnvironmentEvent) => this.run.environment(event.detail)}
        @preset=${(event: PresetEvent) => this.run.preset(event.detail)}
        @seed=${(event: SeedEvent) => this.run.seed(event.detail)}
        @engine=${(event: EngineEvent) => this.run.dispatch({ type: 'engine', engine: event.detail })}
        @pace=${(event: PaceEvent) => this.run.pace(event.detail)}
        @keys=${(event: KeysEvent) => this.keys.turn(event.detail)}></tw-settings>`;
  }

  private skip() {
    const { shortcuts, skip } = strings.shell.contents;
    return html`<nav aria-label=${shortcuts}>
      <button class="skip" @click=${() => goTo(this, 'curves')}>${skip}</button>
    </nav>`;
  }

  private shows(panel: Panel, view: ViewName = 'play'): boolean {
    return panelsAt(view, this.run.url.view.panels, this.isSinglePanel).includes(panel);
  }

  /** Renders the picture of a group, the main chart, and tabs with the other panels. */
  private firstScreen() {
    const { model } = this.run.selected;
    const { environment } = model.configuration;
    const { panels } = this;
    const { stage } = this;
    const stressed = stage && (stage.part === null ? 'on-chart' : 'on-picture');
    return html`<div class="head"><p class="lead">${worldOf(model.configuration)?.sentence ?? ENVIRONMENTS[environment].sentence}</p>${this.tourButton(environment)}</div>
      <div class="scene ${stressed ?? ''}">
        <tw-picture .group=${model.group} .environment=${environment} .settings=${model.configuration.settings} .controls=${model.controls} .preview=${stage?.preview || this.preview}
          .stressed=${stage?.part ?? ''} ?pinned=${stage !== null && stage.part !== null} @attempt=${this.openAttempt}></tw-picture>
        ${panels.sentence()}
        ${panels.charts({ main: true, small: false, brief: true, content: panels.lanes() })}
        ${panels.slowDevice()}
      </div>
      <div>${tabList(this.tab, (tab) => this.select(tab))}
        ${this.tabPanel('group', () => panels.group())}
        ${this.tabPanel('rewards', () => panels.controls())}
        ${this.tabPanel('charts', () => panels.charts({ main: true, small: true }))}
        ${this.tabPanel('compare', () => panels.compare(true))}
        ${this.tabPanel('log', () => panels.log())}
        ${this.tabPanel('rule', () => panels.customRule())}
        ${this.tabPanel('runs', () => html`<div class="bottom">${panels.runs()} ${panels.share()}</div>`)}
        ${this.tabPanel('glossary', () => html`<tw-words unfolded></tw-words>`)}
      </div>
      ${this.isTouring ? html`<tw-story .run=${model} @stage=${this.enterScene}></tw-story>` : nothing}`;
  }

  private tourButton(environment: EnvironmentName) {
    if (!ENVIRONMENTS[environment].tour) return nothing;
    return html`<button class="tour" ?disabled=${this.isTouring} @click=${this.startTour}>${tabStrings.tour}</button>`;
  }

  private startTour = async (): Promise<void> => {
    await import('../story/storyBar.ts');
    this.tab = undefined;
    this.isTouring = true;
  };

  /** Shows the part of the page that a scene of the tour describes, and presses the controls that the scene names. */
  private enterScene = async ({ detail: stage }: StageEvent): Promise<void> => {
    this.stage = stage;
    this.isTouring = stage !== null;
    if (stage?.press) this.renderRoot.querySelector<PageHeader>('tw-page-header')?.press(stage.press);
    if (stage?.training) this.run.transport(stage.training);
    await this.updateComplete;
    const target = stage ? (stage.part === null ? 'tw-curves' : 'tw-picture') : '.tour';
    const element = this.renderRoot.querySelector<HTMLElement>(target);
    if (stage) element?.scrollIntoView({ block: 'nearest' });
    else element?.focus();
  };

  private tabPanel(tab: Tab, content: () => unknown) {
    if (!this.opened.has(tab)) return nothing;
    return html`<div role="tabpanel" id=${`panel-${tab}`} aria-labelledby=${`tab-${tab}`} ?hidden=${tab !== this.tab}>${content()}</div>`;
  }

  /** Renders charts, controls and group of a stacked page. */
  private stacked() {
    const { panels } = this;
    const { embed } = this.run.url.view;
    const { all } = this.run;
    const [main, small, controls] = [this.shows('chart'), this.shows('curves'), this.shows('controls')];
    const group = this.shows('group') ? html`<div slot="group">${panels.group()}</div>` : nothing;
    // An embedded page shows the panel for several runs only if its link has several runs.
    const compare = all.length === 1 && embed ? nothing : html`${panels.lanes()} ${panels.compare(false)}`;
    return html`<div class="top ${controls ? 'with-controls' : ''}">
        ${main || small ? panels.charts({ main, small, content: html`${panels.sentence()} ${compare} ${group}` }) : nothing}
        ${controls ? panels.controls() : nothing}
      </div>
      ${main || small ? nothing : group}`;
  }

  private stackedRecords() {
    const { panels } = this;
    return html`${this.shows('rule') ? panels.customRule() : nothing}
      <div class="bottom">
        ${this.shows('log') ? panels.log() : nothing}
        ${this.shows('runs') ? panels.runs() : nothing}
        ${this.run.url.view.embed ? nothing : panels.share()}
      </div>`;
  }

  /** Renders the Inspector, measured advantages and the Python sandbox. */
  private inspector() {
    const { url, selected } = this.run;
    const { model } = selected;
    const inspect = this.view === 'inspect';
    this.visited.add(this.view);
    const had = (panel: InspectorPanel) => [...this.visited].some((view) => this.shows(panel, view));
    const hidden = (panel: InspectorPanel) => !this.shows(panel, this.view);
    const isChosen = url.view.panels.length > 0;
    return html`
      ${inspect ? html`<tw-inspect-head .status=${model.status} .step=${model.step} @transport=${this.transport}></tw-inspect-head>` : nothing}
      ${had('inspector') ? html`<tw-inspector ?hidden=${hidden('inspector')} .path=${inspect ? this.path : undefined} .live=${model.group} .controls=${model.controls}></tw-inspector>` : nothing}
      ${
        had('truth')
          ? html`<tw-truth ?hidden=${hidden('truth')} ?folded=${!isChosen} .run=${model} .revision=${model.revision}
              @truth-command=${this.truth}></tw-truth>`
          : nothing
      }
      ${had('python') ? html`<tw-python ?hidden=${hidden('python')} ?issinglepanel=${this.view === 'python' || url.view.panels.join() === 'python'}></tw-python>` : nothing}
    `;
  }

  /** Renders problems and notices. */
  private opening() {
    const { storage, notices, selected } = this.run;
    const { problems, checkpoint } = selected.model;
    const remaining = problems.filter(({ kind }) => kind !== 'no-engine');
    const messages = storage.notice ? [...notices, storage.notice] : notices;
    const isEmpty = problems.length + messages.length === 0;
    return html`<div class=${isEmpty ? 'empty' : ''}>
      ${remaining.length < problems.length ? html`<tw-no-engine></tw-no-engine>` : nothing}
      <tw-problems .problems=${remaining} .checkpointStep=${checkpoint?.step ?? null}
        @problem-action=${this.solve}></tw-problems>
      <tw-notices .notices=${messages} @dismiss=${() => this.run.dismissNotices()}></tw-notices>
    </div>`;
  }

  /** Shows other panels than the panels of the link. */
  private choosePanels = (panels: readonly Panel[]): void => {
    const { url, session, links } = this.run;
    url.setView({ ...url.view, panels }, session.model.link, links);
    this.requestUpdate();
  };

  private openAttempt = ({ detail: { group, rollout } }: AttemptEvent): Promise<void> =>
    this.openGroup((panel) => panel.openRollout(group, rollout));

  private openSample = ({ detail: group }: SampleEvent): Promise<void> => this.openGroup((panel) => panel.open(group));

  private async openGroup(open: (panel: GroupPanel) => void): Promise<void> {
    await this.select('group');
    await customElements.whenDefined('tw-group');
    const panel = this.renderRoot.querySelector<GroupPanel>('tw-group');
    if (panel) open(panel);
    void goTo(this, 'group');
  }

  private change = ({ detail: changes }: ParameterChangeEvent): void =>
    void this.run.dispatch({ type: 'change', changes });

  private truth = (event: TruthCommandEvent): void => {
    const { selected } = this.run;
    if (event.detail.type === 'measure-truth') selected.model.expectTruth();
    selected.send(event.detail);
    this.requestUpdate();
  };

  private transport = (event: TransportEvent): void => {
    if (event.detail === 'reset') this.run.reset();
    else this.run.transport(event.detail);
  };

  private solve = (event: ProblemEvent): void => {
    const { action, problem } = event.detail;
    if (action === 'restart') void this.run.dispatch({ type: 'restart' });
    this.run.selected.model.dismiss(problem);
    this.requestUpdate();
  };
}
