import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../parameters/parameters.ts';
import { openRunStore } from '../storage/indexedRunStore.ts';
import { readRunFile } from '../storage/runFile.ts';
import { asStorageError, type RunSummary } from '../storage/runStore.ts';
import type { EnvironmentName, RunConfiguration } from '../training/configuration.ts';
import { applyPreset, type Preset } from '../training/presets.ts';
import type { SavedRun } from '../training/protocol.ts';
import { curvesCsv, download, groupJsonLine, runFileOf } from './exports.ts';
import { linkOf, restarted } from './link.ts';
import { runName } from './naming.ts';
import { recordingOfEnvironment } from './session/nearestRecording.ts';
import { RecordedRuns } from './session/recordedRuns.ts';
import { SessionController } from './session/sessionController.ts';
import { openWorker } from './session/workerSession.ts';
import { StorageController } from './storageController.ts';
import { strings } from './strings.ts';
import { defaultConfiguration } from './tables.ts';
import { DEFAULT_VIEW, MAX_SCHEDULE, writeUrl } from './url.ts';
import { UrlController } from './urlController.ts';

/** Notices at a time; older ones were read or do not matter any more. */
const MOST_NOTICES = 5;

/** What the visitor can do with runs: begin, go on, keep, take along. Joins address, session and storage. */
export class RunController implements ReactiveController {
  readonly url: UrlController;
  readonly session: SessionController;
  readonly storage: StorageController;
  readonly recordings: RecordedRuns;
  /** Things to know, for people. */
  notices: readonly string[];
  /** The browser cannot train, so a recording plays. */
  noWebgpu = false;
  /** A run was begun or resumed; before that, the address still tells which one it shall be. */
  private begun = false;
  /** The query that the page was opened with; the address changes with the run. */
  private readonly asked = location.search;
  /** A file of the run was asked for. */
  private wanted = false;
  /** The schedule that the run was started with, before changes by hand joined it. */
  private scheduled: RunConfiguration['schedule'];

  constructor(private readonly host: ReactiveControllerHost) {
    this.url = new UrlController(host);
    const { configuration, notices } = this.url.reading;
    this.notices = notices;
    this.scheduled = configuration.schedule;
    this.session = new SessionController(host, configuration);
    this.storage = new StorageController(host, openRunStore, this.session, describe);
    this.recordings = new RecordedRuns({ host, session: this.session, tell: (notice) => this.tell(notice) });
    this.session.listen((message) => {
      if (message.type === 'problem' && message.problem.kind === 'no-webgpu') void this.playRecording(true);
      if (message.type === 'checkpoint' && this.wanted) {
        this.wanted = false;
        download(...runFileOf(message.saved));
      }
    });
    host.addController(this);
  }

  hostConnected(): void {
    void this.open();
  }

  hostUpdated(): void {
    const chosen = this.session.recorded ? this.recordings.chosen : this.begun;
    if (chosen) this.url.show(this.session.model.link, this.session.id);
  }

  /** Back to step 0 with the controls as they are now, paused. */
  reset(): void {
    if (this.session.recorded) {
      this.session.send({ type: 'reset' });
      return;
    }
    this.begin(this.again(), false);
  }

  /** After a crash. */
  restart(): void {
    const saved = this.session.restart();
    if (saved) this.storage.keep(this.session.id, saved);
  }

  seed(seed: number): void {
    this.begin({ ...this.again(), seed });
  }

  world(settings: ParameterValues): void {
    this.begin({ ...this.again(), settings });
  }

  preset(preset: Preset): void {
    if (this.session.recorded) {
      void this.recordings.choose(preset);
      return;
    }
    const { seed } = this.session.model.configuration;
    this.begin(applyPreset(preset, { ...defaultConfiguration(preset.environment), seed }));
  }

  /** The standard run of another environment. */
  environment(environment: EnvironmentName): void {
    if (this.session.recorded) {
      void this.recordings.choose(recordingOfEnvironment(environment));
      return;
    }
    const { seed } = this.session.model.configuration;
    this.begin({ ...defaultConfiguration(environment), seed });
  }

  /** Goes on with a run of this device, paused. */
  async openKept(run: RunSummary): Promise<void> {
    const saved = await this.storage.load(run);
    if (saved) this.goOn(saved, run.id);
  }

  async removeKept(run: RunSummary): Promise<void> {
    await this.storage.remove(run);
    this.tell(strings.runs.removed(run.name));
  }

  async downloadKept(run: RunSummary): Promise<void> {
    const saved = await this.storage.load(run);
    if (saved) download(...runFileOf(saved));
  }

  /** Goes on with the run in a file; a file that is none is named, and changes nothing. */
  async importFile(file: File): Promise<void> {
    try {
      this.goOn(readRunFile(await file.text()));
      this.tell(strings.runs.imported(file.name));
    } catch (error) {
      this.tell(strings.storage.badFile(file.name, asStorageError(error).message));
    }
  }

  /** The run as it is now, as soon as the session hands it over. */
  downloadRun(): void {
    if (this.session.recorded) {
      this.tell(strings.recording.cannot);
      return;
    }
    this.wanted = true;
    this.session.send({ type: 'save' });
  }

  downloadCurves(): void {
    download('turnwise-curves.csv', 'text/csv', curvesCsv(this.session.model.metrics));
  }

  downloadGroup(): void {
    const { group } = this.session.model;
    if (group) download('turnwise-group.jsonl', 'application/jsonl', groupJsonLine(group));
  }

  async copyLink(): Promise<void> {
    const { href } = new URL(this.url.query(this.session.model.link), location.href);
    try {
      await navigator.clipboard.writeText(href);
      const changes = this.session.model.link.schedule.length;
      this.tell(changes > MAX_SCHEDULE ? strings.share.copiedLong(changes, MAX_SCHEDULE) : strings.share.copied);
    } catch {
      this.tell(strings.share.copyFailed);
    }
  }

  tell(notice: string): void {
    this.notices = [...this.notices.filter((known) => known !== notice), notice].slice(-MOST_NOTICES);
    this.host.requestUpdate();
  }

  dismissNotices(): void {
    this.notices = [];
    this.storage.dismiss();
  }

  /** Begins what the address means: the kept run that wrote it or that it makes, or a new one. */
  private async open(): Promise<void> {
    const { configuration, view } = this.url.reading;
    if (view.recorded || !('gpu' in navigator)) return this.playRecording(!view.recorded);
    this.session.open(openWorker);
    // Storage may take its time.
    this.session.send({ type: 'prepare' });
    const kept = await this.storage.latest(queryOf(configuration), this.url.runId);
    this.begun = true;
    // A page with the Python panel alone leaves the machine to Python.
    const play = view.panels.join() !== 'python';
    if (!kept) return this.session.begin(configuration, { play });
    const { saved, summary } = kept;
    // The page wrote this address: what it could not hold is in the kept run.
    if (summary.id === this.url.runId) this.notices = [];
    this.scheduled = saved.configuration.schedule;
    this.session.begin(saved.configuration, { play: false, saved, id: summary.id });
    this.tell(strings.runs.resumed(saved.step));
  }

  private playRecording(missing: boolean): Promise<void> {
    this.noWebgpu = missing;
    return this.recordings.open(this.url.reading.configuration, this.asked);
  }

  /** A new run; the session hands over the present one before it begins. */
  private begin(configuration: RunConfiguration, play = true): void {
    this.notices = [];
    this.scheduled = configuration.schedule;
    this.session.begin(configuration, { play });
  }

  private goOn(saved: SavedRun, id?: string): void {
    this.notices = [];
    this.scheduled = saved.configuration.schedule;
    this.session.begin(saved.configuration, { play: false, saved, id });
    this.storage.keep(this.session.id, saved);
  }

  /** The configuration for beginning again with what was turned by hand. */
  private again(): RunConfiguration {
    const { configuration, controls, events } = this.session.model;
    return restarted(configuration, controls, events, this.scheduled);
  }
}

/** The query of a run, whatever is shown of it: storage knows runs by it. */
function queryOf(configuration: RunConfiguration): string {
  return writeUrl(configuration, DEFAULT_VIEW);
}

function describe(saved: SavedRun): { name: string; link: string } {
  return { name: runName(saved), link: queryOf(linkOf(saved)) };
}
