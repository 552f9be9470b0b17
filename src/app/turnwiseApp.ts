import { html, LitElement, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { ParameterValues } from '../parameters/parameters.ts';
import { openRunStore } from '../storage/indexedRunStore.ts';
import { readRunFile } from '../storage/runFile.ts';
import { asStorageError } from '../storage/runStore.ts';
import type { RunConfiguration } from '../training/configuration.ts';
import { applyPreset, type Preset } from '../training/presets.ts';
import type { SavedRun } from '../training/protocol.ts';
import { announcement } from './announcement.ts';
import { appStyles } from './appStyles.ts';
import './charts/curves.ts';
import './elements/controlsPanel.ts';
import './elements/deviceLine.ts';
import './elements/eventLog.ts';
import './elements/introduction.ts';
import type { PresetEvent } from './elements/introduction.ts';
import './elements/noWebgpu.ts';
import './elements/notices.ts';
import './elements/pageHeader.ts';
import type { ParameterChangeEvent } from './elements/parameterControl.ts';
import './elements/problems.ts';
import type { ProblemEvent } from './elements/problems.ts';
import './elements/runList.ts';
import type { ImportEvent, RunListEvent } from './elements/runList.ts';
import './elements/share.ts';
import type { ShareAction, ShareEvent, ViewEvent } from './elements/share.ts';
import './elements/themeSwitch.ts';
import type { SeedEvent, TransportEvent } from './elements/transport.ts';
import './elements/warmStart.ts';
import './group/groupPanel.ts';
import { curvesCsv, download, groupJsonLine, runFileOf } from './exports.ts';
import type { GroupCommandEvent } from './group/groupPanel.ts';
import { restarted } from './link.ts';
import { presetOf, runName } from './naming.ts';
import { loadRecording, RecordedSession } from './session/recordedSession.ts';
import { SessionController } from './session/sessionController.ts';
import { openWorker } from './session/workerSession.ts';
import { StorageController } from './storageController.ts';
import { strings } from './strings.ts';
import { base } from './styles.ts';
import { defaultConfiguration, TABLES } from './tables.ts';
import { type Panel, readUrl } from './url.ts';
import { UrlController } from './urlController.ts';

/** The page: it wires the session, the address and the storage to the elements, and has no other behaviour. */
@customElement('tw-app')
export class TurnwiseApp extends LitElement {
  static override styles = [base, appStyles];

  private readonly url = new UrlController(this);
  private readonly session = new SessionController(this, this.url.reading.configuration);
  private readonly storage = new StorageController(this, openRunStore, this.session, (saved) => this.describe(saved));
  @state() private notices: readonly string[] = this.url.reading.notices;
  @state() private noWebgpu = false;
  /** The schedule that the run was started with, before changes by hand joined it. */
  private scheduled = this.url.reading.configuration.schedule;

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.listen((message) => {
      if (message.type === 'problem' && message.problem.kind === 'no-webgpu') void this.playRecording(true);
    });
    void this.open();
  }

  protected override updated(): void {
    if (!this.session.recorded) this.url.show(this.session.model.link);
  }

  protected override render() {
    const { model, recorded } = this.session;
    const { view } = this.url;
    const controls = model.controls;
    const rule = String(controls.rule ?? '');
    const shows = (panel: Panel) => view.panels.length === 0 || view.panels.includes(panel);
    const aside = shows('controls');
    return html`
      <a class="skip" href="#main" @click=${this.skip}>${strings.skip}</a>
      <tw-page-header .status=${model.status} .step=${model.step} .rule=${rule} .seed=${model.configuration.seed}
        ?recorded=${recorded} @parameter-change=${this.change} @transport=${this.transport} @seed=${this.sow}></tw-page-header>
      <main id="main" tabindex="-1">
        <tw-introduction ?brief=${view.embed} ?recorded=${recorded} .active=${presetOf(model.link)} @preset=${this.preset}>
        </tw-introduction>
        ${this.noWebgpu ? html`<tw-no-webgpu></tw-no-webgpu>` : nothing}
        <div class="messages"><tw-problems .problems=${model.problems.filter(({ kind }) => kind !== 'no-webgpu')}
          .checkpointStep=${model.checkpoint?.step ?? null} @problem-action=${this.solve}></tw-problems>
        <tw-notices .notices=${this.allNotices()} @dismiss=${this.dismissNotices}></tw-notices></div>
        ${model.warmStart ? html`<tw-warm-start .progress=${model.warmStart}></tw-warm-start>` : nothing}
        <div class="top ${aside ? 'with-aside' : ''}">
          ${
            shows('chart') || shows('curves')
              ? html`<tw-curves .run=${model} .revision=${model.revision} ?main=${shows('chart')} ?small=${shows('curves')}></tw-curves>`
              : nothing
          }
          ${
            aside
              ? html`<aside><tw-controls .values=${controls} .settings=${model.configuration.settings} ?disabled=${recorded}
                  @parameter-change=${this.change} @world=${this.world} @warm-start=${this.warm}></tw-controls></aside>`
              : nothing
          }
        </div>
        <tw-device-line .device=${model.device} .latest=${model.metrics.at(-1)} .stepsPerSecond=${model.stepsPerSecond}
          ?recorded=${recorded}></tw-device-line>
        ${
          shows('group')
            ? html`<tw-group .group=${model.group} ?recorded=${recorded} @group-command=${this.command}></tw-group>`
            : nothing
        }
        <div class="bottom">
          ${shows('log') ? html`<tw-event-log .events=${model.events}></tw-event-log>` : nothing}
          ${
            shows('runs')
              ? html`<tw-run-list .runs=${this.storage.runs} .current=${this.session.id} ?disabled=${recorded}
                  @run-action=${this.runAction} @import-run=${this.import}></tw-run-list>`
              : nothing
          }
          ${view.embed ? nothing : html`<tw-share .view=${view} @share=${this.share} @view=${this.changeView}></tw-share>`}
        </div>
      </main>
      ${
        view.embed
          ? nothing
          : html`<footer><span>${strings.footer.text}</span><tw-theme-switch></tw-theme-switch></footer>`
      }
      <p class="visually-hidden" role="status">${announcement(model)}</p>
    `;
  }

  /** Begins what the link means: the kept run that it made, or a new one. */
  private async open(): Promise<void> {
    const { configuration, view } = this.url.reading;
    if (view.recorded || !('gpu' in navigator)) return this.playRecording(!view.recorded);
    this.session.open(openWorker);
    const kept = await this.storage.latest(this.linkOf(configuration));
    if (kept) {
      const { saved, summary } = kept;
      this.session.begin(saved.configuration, { play: false, saved, id: summary.id, link: configuration });
      this.tell(strings.runs.resumed(saved.step));
    } else this.session.begin(configuration, { play: true });
  }

  private async playRecording(missing: boolean): Promise<void> {
    this.noWebgpu = missing;
    try {
      const recording = await loadRecording('recorded-run.json', strings.recording.badFile);
      this.session.open((hear) => new RecordedSession(recording, hear, () => this.tell(strings.recording.cannot)));
      this.session.begin(recording.configuration, { play: true });
    } catch (error) {
      this.tell(strings.noWebgpu.noRecording(error instanceof Error ? error.message : String(error)));
    }
  }

  /** A new run; the present one is kept first. */
  private begin(configuration: RunConfiguration, play = true): void {
    this.session.send({ type: 'save' });
    this.scheduled = configuration.schedule;
    this.session.begin(configuration, { play });
  }

  private change = (event: ParameterChangeEvent): void => this.session.change(event.detail);

  private transport = (event: TransportEvent): void => {
    const { model, recorded } = this.session;
    if (event.detail !== 'reset' || recorded) {
      this.session.send({ type: event.detail });
      return;
    }
    // A worker that has died cannot start again.
    if (model.status === 'stopped') this.session.open(openWorker);
    this.begin(restarted(model.configuration, model.controls, model.events, this.scheduled), false);
  };

  private sow = (event: SeedEvent): void => {
    const { configuration, controls, events } = this.session.model;
    this.begin({ ...restarted(configuration, controls, events, this.scheduled), seed: event.detail });
  };

  private preset = (event: PresetEvent): void => {
    const preset: Preset = event.detail;
    const { seed } = this.session.model.configuration;
    this.begin(applyPreset(preset, { ...defaultConfiguration(), seed }));
  };

  private world = (event: CustomEvent<ParameterValues>): void => {
    const { configuration, controls, events } = this.session.model;
    this.begin({ ...restarted(configuration, controls, events, this.scheduled), settings: event.detail });
  };

  private warm = (): void => this.session.send({ type: 'warm-start' });

  private command = (event: GroupCommandEvent): void => this.session.send(event.detail);

  private solve = (event: ProblemEvent): void => {
    const { action, problem } = event.detail;
    if (action === 'restart') this.session.restart();
    this.session.model.dismiss(problem);
    this.requestUpdate();
  };

  private runAction = async (event: RunListEvent): Promise<void> => {
    const { action, run } = event.detail;
    if (action === 'remove') {
      await this.storage.remove(run);
      return this.tell(strings.runs.removed(run.name));
    }
    const saved = await this.storage.load(run);
    if (!saved) return;
    if (action === 'file') download(...runFileOf({ saved, name: run.name, link: run.link }));
    else this.goOn(saved, run.link, run.id);
  };

  private import = async (event: ImportEvent): Promise<void> => {
    const file = event.detail;
    try {
      const { saved, link } = readRunFile(await file.text());
      this.goOn(saved, link);
      this.tell(strings.runs.imported(file.name));
    } catch (error) {
      this.tell(strings.storage.badFile(file.name, asStorageError(error).message));
    }
  };

  /** Goes on with a kept run, paused. */
  private goOn(saved: SavedRun, query: string, id?: string): void {
    this.session.send({ type: 'save' });
    const link = query ? readUrl(query, TABLES).configuration : saved.configuration;
    this.scheduled = saved.configuration.schedule;
    this.session.begin(saved.configuration, { play: false, saved, id, link });
  }

  private share = async (event: ShareEvent): Promise<void> => {
    const { model } = this.session;
    const acts: Record<ShareAction, () => unknown> = {
      link: () => this.copyLink(),
      csv: () => download('turnwise-curves.csv', 'text/csv', curvesCsv(model.metrics)),
      group: () => model.group && download('turnwise-group.jsonl', 'application/jsonl', groupJsonLine(model.group)),
      run: () => this.exportRun(),
    };
    await acts[event.detail]();
  };

  private async copyLink(): Promise<void> {
    const href = new URL(this.url.query(this.session.model.link), location.href).href;
    try {
      await navigator.clipboard.writeText(href);
      this.tell(strings.share.copied);
    } catch {
      this.tell(strings.share.copyFailed);
    }
  }

  private exportRun(): void {
    const saved = this.session.model.checkpoint;
    if (saved) download(...runFileOf({ saved, ...this.describe(saved) }));
  }

  private changeView = (event: ViewEvent): void => this.url.setView(event.detail, this.session.model.link);

  private describe(saved: SavedRun): { name: string; link: string } {
    const { link } = this.session.model;
    return { name: runName(saved), link: this.linkOf(link) };
  }

  /** The link of a run, whatever panels are shown. */
  private linkOf(configuration: RunConfiguration): string {
    return this.url.runQuery(configuration);
  }

  private allNotices(): readonly string[] {
    return this.storage.notice ? [...this.notices, this.storage.notice] : this.notices;
  }

  private dismissNotices(): void {
    this.notices = [];
    this.storage.dismiss();
  }

  private tell(notice: string): void {
    this.notices = [...this.notices.filter((known) => known !== notice), notice].slice(-4);
  }

  private skip(event: Event): void {
    event.preventDefault();
    this.renderRoot.querySelector<HTMLElement>('#main')?.focus();
  }
}
