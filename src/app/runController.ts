import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../parameters/parameters.ts';
import { openRunStore } from '../storage/indexedRunStore.ts';
import { readRunFile } from '../storage/runFile.ts';
import { asStorageError, type KeptRun, type RunStore, type RunSummary } from '../storage/runStore.ts';
import type { EnvironmentName, RunConfiguration } from '../training/configuration.ts';
import type { Preset } from '../training/presets.ts';
import type { SavedRun } from '../training/protocol.ts';
import { type AnswerPlace, Answers } from './answers.ts';
import { download } from './exports.ts';
import { keptStrings } from './keptStrings.ts';
import { linkOf, restarted } from './link.ts';
import { presetFor, runName } from './naming.ts';
import { RunDownloads } from './runDownloads.ts';
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
  readonly dropPlan?: boolean;
}

const NOTHING_YET: EarlyChoice = { changes: {} };

/** How a kept run is gone on with. */
interface GoingOn {
  /** Whether it is still wanted. */
  readonly wanted: () => boolean;
  /** The address means it; otherwise the visitor chose it, and Back goes back to the present one. */
  readonly addressed?: boolean;
}

/** What the visitor can do with runs: begin, go on, keep, take along. Joins address, session, storage and other tabs. */
export class RunController implements ReactiveController {
  readonly url: UrlController;
  readonly session: SessionController;
  readonly storage: StorageController;
  private readonly downloads: RunDownloads;
  private readonly sharing: RunSharing;
  /** Things to know that no button was pressed for, for people. */
  notices: readonly string[];
  /** What came of the buttons that were pressed. */
  readonly answers: Answers;
  /** The browser cannot train, so a recording plays. */
  noWebgpu = false;
  /** A run was begun or resumed; before that, the address still tells which one it shall be. */
  private begun = false;
  /** The page looked for its run already. */
  private looked = false;
  /** Grows whenever the run of an address is looked for: an answer about an earlier address comes too late. */
  private looking = 0;
  private early = NOTHING_YET;
  /** Grows with every run that the visitor chooses: an answer to an earlier choice comes too late. */
  private choice = 0;
  /** The run that was left for the present one, and what begins it again where it was not kept. */
  private left: { readonly id: string; readonly usual: RunConfiguration } | undefined;
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
    this.url.travelled = () => void this.travel();
    const { configuration, notices } = this.url.reading;
    this.notices = notices;
    this.answers = new Answers(() => host.requestUpdate());
    this.scheduled = configuration.schedule;
    this.session = new SessionController(host, configuration);
    this.storage = new StorageController(host, outside.openStore, this.session, describe, outside.tabs);
    this.downloads = new RunDownloads(this.session, this.storage, this.answer, outside.give);
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

  /** Nothing that is scheduled for later steps will happen, in this run and in those that begin anew from it. */
  dropPlan(): void {
    const { step } = this.session.model;
    this.scheduled = this.scheduled.filter((entry) => entry.step <= step);
    if (this.begun) this.session.send({ type: 'drop-plan' });
    else this.early = { ...this.early, dropPlan: true };
  }

  /** Back to step 0 with the controls as they are now. */
  reset(): void {
    if (this.session.recorded) {
      this.session.send({ type: 'reset' });
      return;
    }
    this.choose(this.again());
  }

  /** After a crash. */
  restart(): void {
    this.choice += 1;
    this.downloads.restarted();
    const saved = this.session.restart();
    if (saved) this.storage.keep(this.session.id, saved);
  }

  /** Makes the starting policy of this run on the device, then stands at step 0. */
  warmStart(): void {
    this.leave();
    this.choice += 1;
    this.begun = true;
    this.session.warmStart();
    this.sharing.begin();
  }

  /** Gives up a warm start that goes on: back to the run before it as it was kept, or to the usual one. */
  async cancelWarmStart(): Promise<void> {
    const { left, choice } = this;
    // Meanwhile it may have come to its end, or something else was begun.
    const wanted = () => choice === this.choice && this.session.model.status === 'warming';
    await this.storage.written;
    const summary = this.storage.runs.find(({ id }) => id === left?.id);
    const kept = summary && (await this.storage.load(summary));
    if (!wanted()) return;
    if (kept) {
      if (await this.goOnWith(kept, { wanted })) this.tell(strings.warming.cancelled(kept.saved.step));
      return;
    }
    this.choose(left?.usual ?? defaultConfiguration(this.session.model.configuration.environment), false);
    this.tell(strings.warming.cancelledFresh);
  }

  seed(seed: number): void {
    this.enter({ ...this.again(), seed });
  }

  world(settings: ParameterValues): void {
    this.enter({ ...this.again(), settings });
  }

  preset(preset: Preset): void {
    this.enter(presetFor(preset, this.again()));
  }

  /** The standard run of another environment. */
  environment(environment: EnvironmentName): void {
    const { seed } = this.session.model.configuration;
    this.enter({ ...defaultConfiguration(environment), seed });
  }

  /** Goes on with a run of this device, paused. */
  async openKept(run: RunSummary): Promise<void> {
    const choice = ++this.choice;
    const wanted = () => choice === this.choice;
    const kept = await this.storage.load(run);
    if (!kept) this.answerFromStorage();
    else if (await this.goOnWith(kept, { wanted })) this.answers.done('runs', strings.shell.opened(run.name, run.step));
  }

  async removeKept(run: RunSummary): Promise<void> {
    if (!(await this.storage.remove(run))) return this.answerFromStorage();
    const current = run.id === this.session.id && !this.session.recorded;
    this.answers.done('runs', (current ? keptStrings.removedCurrent : keptStrings.removed)(run.name));
  }

  /** The current run was deleted and is kept again. */
  keepAgain(): void {
    const { id, model } = this.session;
    this.storage.keepAgain(id, model.curve);
    this.answers.done('runs', keptStrings.keptAgain);
    if (model.status !== 'stopped') this.session.send({ type: 'save' });
    else if (model.checkpoint) this.storage.keep(id, model.checkpoint);
  }

  async downloadKept(run: RunSummary): Promise<void> {
    if (!(await this.downloads.kept(run))) this.answerFromStorage();
  }

  /** Goes on with the run in a file; a file that is none is named, and changes nothing. */
  async importFile(file: File): Promise<void> {
    const choice = ++this.choice;
    let saved: SavedRun;
    try {
      saved = readRunFile(await file.text());
    } catch (error) {
      this.answers.failed('runs', strings.storage.badFile(file.name, asStorageError(error).message));
      return;
    }
    if (choice !== this.choice) return;
    this.notices = [];
    this.entering(() => this.goOn(saved));
    this.storage.adopt(this.session.id, saved);
    this.answers.done('runs', strings.runs.imported(file.name));
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
      const told = changes > MAX_SCHEDULE ? strings.share.copiedLong(changes, MAX_SCHEDULE) : strings.share.copied;
      this.answers.done('share', told);
    } catch {
      this.answers.failed('share', strings.share.copyFailed);
    }
  }

  /** Something to know that no button was pressed for. */
  tell(notice: string): void {
    this.notices = [...this.notices.filter((known) => known !== notice), notice].slice(-MOST_NOTICES);
    this.host.requestUpdate();
  }

  dismissNotices(): void {
    this.notices = [];
    this.storage.dismiss();
  }

  /** What came of a press stands beside what was pressed. */
  private answer = (place: AnswerPlace, text: string, failed: boolean): void => {
    if (failed) this.answers.failed(place, text);
    else this.answers.done(place, text);
  };

  /** What storage has just said of a run that a button was pressed for stands beside that button. */
  private answerFromStorage(): void {
    const { notice } = this.storage;
    this.storage.dismiss();
    if (notice) this.answers.failed('runs', notice);
  }

  private async open(): Promise<void> {
    const { view } = this.url.reading;
    if (view.recorded || !('gpu' in navigator)) return this.playRecording(!view.recorded);
    this.session.open(this.outside.openWorker);
    // Storage may take its time.
    this.session.send({ type: 'prepare' });
    await this.come(++this.looking, true);
  }

  /** Back or Forward came to the address of another run: it goes on where it was left. */
  private async travel(): Promise<void> {
    if (this.session.recorded) return;
    const { plays } = this.session;
    const looking = ++this.looking;
    this.choice += 1;
    // The address is that of the run that is still to come.
    this.begun = false;
    this.early = NOTHING_YET;
    // What is left last may be what is asked for.
    await this.session.handedOver;
    await this.storage.written;
    if (!this.begun && looking === this.looking) await this.come(looking, plays);
  }

  /**
   * Begins what the address means: the kept run that wrote it or that it makes, or a new one.
   * @param play whether a new one plays
   */
  private async come(looking: number, play: boolean): Promise<void> {
    const { configuration, notices } = this.url.reading;
    const kept = await this.storage.latest(queryOf(configuration), this.url.runId);
    // The visitor chose another one meanwhile.
    const wanted = () => !this.begun && looking === this.looking;
    if (!wanted()) return;
    this.notices = notices;
    if (kept) {
      // The page wrote this address: what it could not hold is in the kept run.
      if (kept.summary.id === this.url.runId) this.notices = [];
      await this.goOnWith(kept, { wanted, addressed: true });
      return;
    }
    const { early } = this;
    this.begin(configuration, early.play ?? (play && !early.step));
    this.takeEarly(early);
  }

  /** The page's element was away, and its worker with it. */
  private goOnAfterAbsence(): void {
    if (this.session.recorded) this.session.begin(this.session.model.configuration, { play: false });
    else this.restart();
    this.sharing.begin();
  }

  private takeEarly({ changes, step, dropPlan }: EarlyChoice): void {
    if (Object.keys(changes).length > 0) this.session.change(changes);
    if (dropPlan) this.dropPlan();
    if (step) this.session.send({ type: 'step' });
  }

  /** Goes on with a kept run, as the tab that does so or beside another one; tells whether it was still wanted. */
  private async goOnWith(kept: KeptRun, { wanted, addressed = false }: GoingOn): Promise<boolean> {
    const { id } = kept.summary;
    const own = await this.sharing.hold(id);
    if (!wanted()) return false;
    const early = addressed ? this.early : NOTHING_YET;
    this.storage.leaveToOthers(id, !own);
    this.storage.resume(kept, own && !addressed);
    const goOn = () => this.goOn(kept.saved, kept, early.play === true);
    if (addressed) goOn();
    else {
      this.notices = [];
      this.entering(goOn);
    }
    if (!own) this.tell(keptStrings.elsewhere(kept.saved.step));
    else if (addressed) this.tell(strings.runs.resumed(kept.saved.step));
    this.takeEarly(early);
    return true;
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

  /** The visitor chose a new run, which plays if the present one does. */
  private choose(configuration: RunConfiguration, play = this.early.play ?? this.session.plays): void {
    this.choice += 1;
    this.notices = [];
    this.begin(configuration, play);
  }

  /** The visitor chose a new run of another kind: Back goes back to the present one. */
  private enter(configuration: RunConfiguration): void {
    this.entering(() => this.choose(configuration));
  }

  /** A new run; the session hands over the present one before it begins. */
  private begin(configuration: RunConfiguration, play: boolean): void {
    this.beginning(configuration);
    this.session.begin(configuration, { play });
    this.sharing.begin();
  }

  private goOn(saved: SavedRun, kept?: KeptRun, play = false): void {
    this.beginning(saved.configuration);
    this.session.begin(saved.configuration, { play, saved, curve: kept?.curve, id: kept?.summary.id });
    if (!kept) this.sharing.begin();
  }

  private beginning({ schedule }: RunConfiguration): void {
    this.leave();
    this.begun = true;
    this.early = NOTHING_YET;
    this.answers.clear();
    this.scheduled = schedule;
  }

  /** Remembers the run that another one follows; one that never got past its own warm start is nothing to go back to. */
  private leave(): void {
    const { model, id } = this.session;
    if (model.status !== 'warming' && model.status !== 'loading') this.left = { id, usual: model.link };
  }

  /** Leaves the present run its address, as it last was, and gives the next one an address of its own. */
  private entering(begin: () => void): void {
    const leaves = this.begun || this.url.travelling;
    this.hostUpdated();
    begin();
    const { model, id } = this.session;
    if (leaves) this.url.enter(model.link, id);
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
