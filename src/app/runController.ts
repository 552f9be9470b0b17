import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../parameters/parameters.ts';
import { openRunStore } from '../storage/indexedRunStore.ts';
import { readRunFile } from '../storage/runFile.ts';
import { asStorageError, type RunSummary } from '../storage/runStore.ts';
import type { EnvironmentName, RunConfiguration } from '../training/configuration.ts';
import type { Preset } from '../training/presets.ts';
import type { SavedRun } from '../training/protocol.ts';
import { type AnswerPlace, Answers } from './answers.ts';
import { curvesFile, download, groupJsonLine, runFileOf } from './exports.ts';
import { linkOf, restarted } from './link.ts';
import { presetFor, runName } from './naming.ts';
import { loadRecording, RecordedSession } from './session/recordedSession.ts';
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
  /** Things to know that no button was pressed for, for people. */
  notices: readonly string[];
  /** What came of the buttons that were pressed. */
  readonly answers: Answers;
  /** The browser cannot train, so a recording plays. */
  noWebgpu = false;
  /** A run was begun or resumed; before that, the address still tells which one it shall be. */
  private begun = false;
  /** Grows with every run that is asked for: whoever waited for storage meanwhile comes too late. */
  private asked = 0;
  /** A file of the run was asked for. */
  private wanted = false;
  /** The run that was left for the present one, and what begins it again where it was not kept. */
  private left: { readonly id: string; readonly usual: RunConfiguration } | undefined;
  /** The schedule that the run was started with, before changes by hand joined it. */
  private scheduled: RunConfiguration['schedule'];

  constructor(private readonly host: ReactiveControllerHost) {
    this.url = new UrlController(host);
    this.url.travelled = () => void this.travel();
    const { configuration, notices } = this.url.reading;
    this.notices = notices;
    this.answers = new Answers(() => host.requestUpdate());
    this.scheduled = configuration.schedule;
    this.session = new SessionController(host, configuration);
    this.storage = new StorageController(host, openRunStore, this.session, describe);
    this.session.listen((message) => {
      if (message.type === 'problem' && message.problem.kind === 'no-webgpu') void this.playRecording(true);
      if (message.type === 'checkpoint' && this.wanted) {
        this.wanted = false;
        this.handOver(message.saved, 'share');
      }
    });
    host.addController(this);
  }

  hostConnected(): void {
    void this.open();
  }

  hostUpdated(): void {
    if (this.begun && !this.session.recorded) this.url.show(this.session.model.link, this.session.id);
  }

  /** Back to step 0 with the controls as they are now. */
  reset(): void {
    if (this.session.recorded) {
      this.session.send({ type: 'reset' });
      return;
    }
    this.begin(this.again());
  }

  /** Nothing that is scheduled for later steps will happen, in this run and in those that begin anew from it. */
  dropPlan(): void {
    const { step } = this.session.model;
    this.scheduled = this.scheduled.filter((entry) => entry.step <= step);
    this.session.send({ type: 'drop-plan' });
  }

  /** After a crash. */
  restart(): void {
    const saved = this.session.restart();
    if (saved) this.storage.keep(this.session.id, saved);
  }

  seed(seed: number): void {
    this.enter({ ...this.again(), seed });
  }

  world(settings: ParameterValues): void {
    this.enter({ ...this.again(), settings });
  }

  /** Makes the starting policy of this run on the device, then stands at step 0. */
  warmStart(): void {
    this.leave();
    this.session.warmStart();
  }

  /** Gives up a warm start that goes on: back to the run before it as it was kept, or to the usual one. */
  async cancelWarmStart(): Promise<void> {
    const { left } = this;
    await this.storage.written;
    const summary = this.storage.runs.find(({ id }) => id === left?.id);
    const saved = summary && (await this.storage.load(summary));
    // Meanwhile it may have come to its end, or something else was begun.
    if (this.session.model.status !== 'warming') return;
    if (saved) this.goOn(saved, left?.id);
    else this.begin(left?.usual ?? defaultConfiguration(this.session.model.configuration.environment), false);
    this.tell(saved ? strings.warming.cancelled(saved.step) : strings.warming.cancelledFresh);
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
    const saved = await this.storage.load(run);
    if (!saved) return this.answerFromStorage();
    this.goOn(saved, run.id);
    this.answers.done('runs', strings.shell.opened(run.name, run.step));
  }

  async removeKept(run: RunSummary): Promise<void> {
    await this.storage.remove(run);
    if (this.storage.runs.some(({ id }) => id === run.id)) this.answerFromStorage();
    else this.answers.done('runs', strings.runs.removed(run.name));
  }

  async downloadKept(run: RunSummary): Promise<void> {
    const saved = await this.storage.load(run);
    if (saved) this.handOver(saved, 'runs');
    else this.answerFromStorage();
  }

  /** Goes on with the run in a file; a file that is none is named, and changes nothing. */
  async importFile(file: File): Promise<void> {
    try {
      this.goOn(readRunFile(await file.text()));
      this.answers.done('runs', strings.runs.imported(file.name));
    } catch (error) {
      this.answers.failed('runs', strings.storage.badFile(file.name, asStorageError(error).message));
    }
  }

  /** The run as it is now, as soon as the session hands it over. */
  downloadRun(): void {
    if (this.session.recorded) {
      this.answers.failed('share', strings.recording.cannot);
      return;
    }
    this.wanted = true;
    this.answers.done('share', strings.shell.saved.waiting);
    this.session.send({ type: 'save' });
  }

  downloadCurves(): void {
    const { metrics } = this.session.model;
    const { curves, noCurves } = strings.shell.saved;
    if (metrics.length === 0) {
      this.answers.failed('share', noCurves);
      return;
    }
    download('turnwise-curves.csv', 'text/csv', curvesFile(this.session.model));
    this.answers.done('share', curves('turnwise-curves.csv', metrics.length));
  }

  downloadGroup(): void {
    const { group } = this.session.model;
    const { group: saved, noGroup } = strings.shell.saved;
    if (!group) {
      this.answers.failed('share', noGroup);
      return;
    }
    download('turnwise-group.jsonl', 'application/jsonl', groupJsonLine(group));
    this.answers.done('share', saved('turnwise-group.jsonl', group.step));
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

  /** Begins what the address means: the kept run that wrote it or that it makes, or a new one. */
  private async open(): Promise<void> {
    const { view } = this.url.reading;
    if (view.recorded || !('gpu' in navigator)) return this.playRecording(!view.recorded);
    this.session.open(openWorker);
    // Storage may take its time.
    this.session.send({ type: 'prepare' });
    await this.come(true);
  }

  /** Back or Forward came to the address of another run: it goes on where it was left. */
  private async travel(): Promise<void> {
    if (this.session.recorded) return;
    const { plays } = this.session;
    const asked = ++this.asked;
    // The address is that of the run that is still to come.
    this.begun = false;
    // What is left last may be what is asked for.
    await this.session.handedOver;
    await this.storage.written;
    if (asked === this.asked) await this.come(plays);
  }

  /** @param play whether a run that is not kept plays */
  private async come(play: boolean): Promise<void> {
    const asked = ++this.asked;
    const { configuration, notices } = this.url.reading;
    const kept = await this.storage.latest(queryOf(configuration), this.url.runId);
    if (asked !== this.asked) return;
    this.begun = true;
    this.notices = notices;
    this.scheduled = (kept?.saved.configuration ?? configuration).schedule;
    if (!kept) return this.session.begin(configuration, { play });
    const { saved, summary } = kept;
    // The page wrote this address: what it could not hold is in the kept run.
    if (summary.id === this.url.runId) this.notices = [];
    this.session.begin(saved.configuration, { play: false, saved, id: summary.id });
    this.tell(strings.runs.resumed(saved.step));
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

  /** Gives a kept run to the visitor as a file, and says so beside the button. */
  private handOver(saved: SavedRun, place: AnswerPlace): void {
    const file = runFileOf(saved);
    download(...file);
    this.answers.done(place, strings.shell.saved.run(file[0]));
  }

  /** What storage has just said of a run that a button was pressed for stands beside that button. */
  private answerFromStorage(): void {
    const { notice } = this.storage;
    this.storage.dismiss();
    if (notice) this.answers.failed('runs', notice);
  }

  /** A new run, which plays if the present one does; the session hands over the present one before it begins. */
  private begin(configuration: RunConfiguration, play = this.session.plays): void {
    this.leave();
    this.asked += 1;
    this.begun = true;
    this.notices = [];
    this.answers.clear();
    this.scheduled = configuration.schedule;
    this.session.begin(configuration, { play });
  }

  /** A new run of another kind: Back goes back to the present one. */
  private enter(configuration: RunConfiguration): void {
    this.entering(() => this.begin(configuration));
  }

  private goOn(saved: SavedRun, id?: string): void {
    this.entering(() => {
      this.asked += 1;
      this.begun = true;
      this.notices = [];
      this.answers.clear();
      this.scheduled = saved.configuration.schedule;
      this.session.begin(saved.configuration, { play: false, saved, id });
    });
    this.storage.keep(this.session.id, saved);
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
