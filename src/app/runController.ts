import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../parameters/parameters.ts';
import { openRunStore } from '../storage/indexedRunStore.ts';
import { readRunFile } from '../storage/runFile.ts';
import { asStorageError, type KeptRun, type RunStore, type RunSummary } from '../storage/runStore.ts';
import type { EnvironmentName, RunConfiguration } from '../training/configuration.ts';
import { applyPreset, type Preset } from '../training/presets.ts';
import type { SavedRun } from '../training/protocol.ts';
import { download } from './exports.ts';
import { keptStrings } from './keptStrings.ts';
import { linkOf, restarted } from './link.ts';
import { runName } from './naming.ts';
import { type AnswerPlace, type AnswerTo, RunDownloads } from './runDownloads.ts';
import { RunSharing } from './runSharing.ts';
import { loadRecording, RecordedSession } from './session/recordedSession.ts';
import type { SessionFactory } from './session/session.ts';
import { SessionController } from './session/sessionController.ts';
import { openWorker } from './session/workerSession.ts';
import { StorageController } from './storageController.ts';
import { strings } from './strings.ts';
import { defaultConfiguration } from './tables.ts';
import { BrowserTabs, type Tabs } from './tabs.ts';
import { DEFAULT_VIEW, MAX_SCHEDULE, writeUrl } from './url.ts';
import { UrlController } from './urlController.ts';

/** Notices at a time; older ones were read or do not matter any more. */
const MOST_NOTICES = 5;

/** What lies outside of the page; a test brings its own. */
export interface Outside {
  openStore(): Promise<RunStore>;
  readonly openWorker: SessionFactory;
  readonly tabs: Tabs;
  /** Hands a file to the visitor. */
  readonly give: typeof download;
}

/** What the visitor chose before it was known which run the address means. */
interface EarlyChoice {
  readonly changes: ParameterValues;
  readonly play?: boolean;
  readonly step?: boolean;
}

/** What the visitor can do with runs: begin, go on, keep, take along. Joins address, session, storage and other tabs. */
export class RunController implements ReactiveController {
  readonly url: UrlController;
  readonly session: SessionController;
  readonly storage: StorageController;
  private readonly downloads: RunDownloads;
  private readonly sharing: RunSharing;
  /** Things to know, for people. */
  notices: readonly string[];
  /** The browser cannot train, so a recording plays. */
  noWebgpu = false;
  /** A run was begun or resumed; before that, the address still tells which one it shall be. */
  private begun = false;
  /** The page looked for its run already. */
  private looked = false;
  private early: EarlyChoice = { changes: {} };
  /** Grows with every run that the visitor chooses: an answer to an earlier choice comes too late. */
  private choice = 0;
  /** The schedule that the run was started with, before changes by hand joined it. */
  private scheduled: RunConfiguration['schedule'];

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly outside: Outside = {
      openStore: openRunStore,
      openWorker,
      tabs: new BrowserTabs(),
      give: download,
    },
  ) {
    this.url = new UrlController(host);
    const { configuration, notices } = this.url.reading;
    this.notices = notices;
    this.scheduled = configuration.schedule;
    this.session = new SessionController(host, configuration);
    this.storage = new StorageController(host, outside.openStore, this.session, describe, outside.tabs);
    const answer: AnswerTo = (place, text, failed) => this.answer(place, text, failed);
    this.downloads = new RunDownloads(this.session, this.storage, answer, outside.give);
    this.sharing = new RunSharing(this.session, this.storage, outside.tabs, {
      tell: (notice) => this.tell(notice),
      goOn: (kept) => this.goOn(kept.saved, kept),
      renamed: (id, copy) => this.downloads.renamed(id, copy),
    });
    this.session.listen((message) => {
      if (message.type === 'problem' && message.problem.kind === 'no-webgpu') void this.playRecording(true);
    });
    host.addController(this);
  }

  /** An element that comes back goes on with its run; one that was moved never left it. */
  hostConnected(): void {
    if (!this.looked) void this.open();
    else if (this.session.reopen()) this.goOnAfterAbsence();
    this.looked = true;
  }

  hostUpdated(): void {
    if (this.begun && !this.session.recorded) this.url.show(this.session.model.link, this.session.id);
  }

  /** Plays, pauses or does one update. */
  transport(type: 'play' | 'pause' | 'step'): void {
    if (this.begun || this.session.recorded) this.session.send({ type });
    else this.early = { ...this.early, play: type === 'play', step: type === 'step' };
  }

  change(changes: ParameterValues): void {
    if (this.begun || this.session.recorded) {
      this.session.change(changes);
      return;
    }
    this.session.model.expect(changes);
    this.early = { ...this.early, changes: { ...this.early.changes, ...changes } };
    this.host.requestUpdate();
  }

  /** Back to step 0 with the controls as they are now, paused. */
  reset(): void {
    if (this.session.recorded) {
      this.session.send({ type: 'reset' });
      return;
    }
    this.choose(this.again(), false);
  }

  /** After a crash. */
  restart(): void {
    this.choice += 1;
    this.downloads.restarted();
    const saved = this.session.restart();
    if (saved) this.storage.keep(this.session.id, saved);
  }

  /** Makes the starting policy on this device. */
  warmStart(): void {
    this.choice += 1;
    this.begun = true;
    this.session.warmStart();
    this.sharing.begin();
  }

  seed(seed: number): void {
    this.choose({ ...this.again(), seed });
  }

  world(settings: ParameterValues): void {
    this.choose({ ...this.again(), settings });
  }

  preset(preset: Preset): void {
    const { seed } = this.session.model.configuration;
    this.choose(applyPreset(preset, { ...defaultConfiguration(preset.environment), seed }));
  }

  /** The standard run of another environment. */
  environment(environment: EnvironmentName): void {
    const { seed } = this.session.model.configuration;
    this.choose({ ...defaultConfiguration(environment), seed });
  }

  /** Goes on with a run of this device, paused. */
  async openKept(run: RunSummary): Promise<void> {
    const choice = ++this.choice;
    const kept = await this.storage.load(run);
    if (kept) await this.goOnWith(kept, choice);
  }

  async removeKept(run: RunSummary): Promise<void> {
    if (!(await this.storage.remove(run))) return;
    const current = run.id === this.session.id && !this.session.recorded;
    this.answer('runs', (current ? keptStrings.removedCurrent : keptStrings.removed)(run.name), false);
  }

  /** The current run was deleted and is kept again. */
  keepAgain(): void {
    const { id, model } = this.session;
    this.storage.keepAgain(id, model.curve);
    this.answer('runs', keptStrings.keptAgain, false);
    if (model.status !== 'stopped') this.session.send({ type: 'save' });
    else if (model.checkpoint) this.storage.keep(id, model.checkpoint);
  }

  downloadKept(run: RunSummary): Promise<void> {
    return this.downloads.kept(run);
  }

  /** Goes on with the run in a file; a file that is none is named, and changes nothing. */
  async importFile(file: File): Promise<void> {
    const choice = ++this.choice;
    let saved: SavedRun;
    try {
      saved = readRunFile(await file.text());
    } catch (error) {
      return this.answer('runs', strings.storage.badFile(file.name, asStorageError(error).message), true);
    }
    if (choice !== this.choice) return;
    this.notices = [];
    this.goOn(saved);
    this.storage.adopt(this.session.id, saved);
    this.answer('runs', strings.runs.imported(file.name), false);
  }

  downloadRun(): void {
    this.downloads.run();
  }

  downloadCurves(): Promise<void> {
    return this.downloads.curves();
  }

  downloadGroup(): void {
    this.downloads.group();
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

  /** What came of a press. */
  private answer(_place: AnswerPlace, text: string, _failed: boolean): void {
    this.tell(text);
  }

  /** Begins what the address means: the kept run that wrote it or that it makes, or a new one. */
  private async open(): Promise<void> {
    const { configuration, view } = this.url.reading;
    if (view.recorded || !('gpu' in navigator)) return this.playRecording(!view.recorded);
    this.session.open(this.outside.openWorker);
    // Storage may take its time.
    this.session.send({ type: 'prepare' });
    const { choice } = this;
    const kept = await this.storage.latest(queryOf(configuration), this.url.runId);
    // The visitor chose another one meanwhile.
    if (this.begun) return;
    if (kept) {
      // The page wrote this address: what it could not hold is in the kept run.
      if (kept.summary.id === this.url.runId) this.notices = [];
      return this.goOnWith(kept, choice, true);
    }
    const { early } = this;
    this.begin(configuration, early.play ?? !early.step);
    this.takeEarly(early);
  }

  /** The page's element was away, and its worker with it. */
  private goOnAfterAbsence(): void {
    if (this.session.recorded) this.session.begin(this.session.model.configuration, { play: false });
    else this.restart();
    this.sharing.begin();
  }

  private takeEarly({ changes, step }: EarlyChoice): void {
    if (Object.keys(changes).length > 0) this.session.change(changes);
    if (step) this.session.send({ type: 'step' });
  }

  /** Goes on with a kept run, as the tab that does so or beside another one. */
  private async goOnWith(kept: KeptRun, choice: number, opening = false): Promise<void> {
    const { id } = kept.summary;
    const own = await this.sharing.hold(id);
    if (opening ? this.begun : choice !== this.choice) return;
    if (!opening) this.notices = [];
    const { early } = this;
    this.storage.leaveToOthers(id, !own);
    this.storage.resume(kept, own && !opening);
    this.goOn(kept.saved, kept, opening && early.play === true);
    if (!own) this.tell(keptStrings.elsewhere(kept.saved.step));
    else if (opening) this.tell(strings.runs.resumed(kept.saved.step));
    if (opening) this.takeEarly(early);
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

  /** The visitor chose a new run. */
  private choose(configuration: RunConfiguration, play = true): void {
    this.choice += 1;
    this.notices = [];
    this.begin(configuration, play);
  }

  /** A new run; the session hands over the present one before it begins. */
  private begin(configuration: RunConfiguration, play: boolean): void {
    this.begun = true;
    this.scheduled = configuration.schedule;
    this.session.begin(configuration, { play });
    this.sharing.begin();
  }

  private goOn(saved: SavedRun, kept?: KeptRun, play = false): void {
    this.begun = true;
    this.scheduled = saved.configuration.schedule;
    this.session.begin(saved.configuration, { play, saved, curve: kept?.curve, id: kept?.summary.id });
    if (!kept) this.sharing.begin();
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
