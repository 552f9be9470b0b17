import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { KeptRun } from '../../storage/runStore.ts';
import type { EnvironmentName, RunConfiguration } from '../../training/data/configuration.ts';
import type { Preset } from '../../training/data/presets.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { openingRun } from '../../training/data/worlds.ts';
import { restarted } from '../address/link.ts';
import { playsAtOnce } from '../address/panels.ts';
import { describe } from '../address/runQuery.ts';
import { UrlController } from '../address/urlController.ts';
import { RunLanes } from '../lanes/runLanes.ts';
import { Answers } from '../look/answers.ts';
import { SessionController } from '../session/sessionController.ts';
import { copyLink } from '../shell/copyLink.ts';
import { browser, type Outside } from '../shell/outside.ts';
import { keptStrings } from '../strings/keptStrings.ts';
import { strings } from '../strings/strings.ts';
import { AddressedRuns } from './addressedRuns.ts';
import { Choices } from './choices.ts';
import { type Early, EarlyChoice } from './earlyChoice.ts';
import { engineNotice } from './engineNotice.ts';
import { KeptRuns } from './keptRuns.ts';
import { presetFor } from './naming.ts';
import { RunBefore } from './runBefore.ts';
import { RunDownloads } from './runDownloads.ts';
import { RunSharing } from './runSharing.ts';
import { StorageController } from './storageController.ts';

/** Notices at a time; older ones were read or do not matter any more. */
const MOST_NOTICES = 5;

/** What the visitor can do with runs: begin, go on, keep, take along. Joins address, session, storage and other tabs. */
export class RunController implements ReactiveController {
  readonly url: UrlController;
  readonly session: SessionController;
  readonly storage: StorageController;
  /** The runs beside the first one. */
  readonly lanes: RunLanes;
  /** What the visitor takes along. */
  readonly downloads: RunDownloads;
  /** What the list of runs does. */
  readonly kept: KeptRuns;
  private readonly sharing: RunSharing;
  /** Things to know that no button was pressed for, for people. */
  notices: readonly string[];
  /** What came of the buttons that were pressed. */
  readonly answers: Answers;
  /** A run was begun or resumed; before that, the address still tells which one it shall be. */
  private begun = false;
  /** The page looked for its run already. */
  private looked = false;
  private readonly addressed: AddressedRuns;
  private readonly early = new EarlyChoice();
  private readonly choices = new Choices();
  private readonly before: RunBefore;
  /** The schedule that the run was started with, before changes by hand joined it. */
  private scheduled: RunConfiguration['schedule'];

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly outside: Outside = browser(),
  ) {
    this.url = new UrlController(host);
    const { configuration, notices } = this.url.reading;
    this.notices = notices;
    this.answers = new Answers(() => host.requestUpdate());
    this.scheduled = configuration.schedule;
    this.session = new SessionController(host, configuration);
    this.storage = new StorageController(host, outside.openStore, this.session, describe, outside.tabs);
    this.before = new RunBefore(this.session, this.storage);
    const tell = (notice: string) => this.tell(notice);
    this.lanes = new RunLanes({ host, first: this.session, storage: this.storage, tell });
    this.downloads = new RunDownloads(this.session, this.storage, this.answers, outside.give, this.lanes);
    this.kept = new KeptRuns(this.session, this.storage, this.downloads, this.answers, {
      ask: () => this.choices.ask(),
      goOnWith: (kept, wanted) => this.goOnWith(kept, wanted),
      enter: (saved) => {
        this.notices = [];
        this.entering(() => this.goOn(saved));
      },
    });
    this.sharing = new RunSharing(this.session, this.storage, outside.tabs, {
      tell,
      goOn: (kept) => this.goOn(kept.saved, kept),
      renamed: (id, copy) => {
        this.downloads.renamed(id, copy);
        this.lanes.rename(id, copy);
      },
    });
    this.addressed = new AddressedRuns({
      ...{ url: this.url, session: this.session, storage: this.storage, lanes: this.lanes },
      begun: () => this.begun,
      leave: () => {
        this.choices.make();
        this.begun = false;
        this.early.take();
      },
      notice: (told) => (this.notices = told),
      goOnWith: (kept, wanted) => this.goOnWith(kept, wanted, true),
      begin: (wanted, play) => {
        const early = this.early.take();
        this.begin(wanted, early.play ?? (play && !early.step));
        this.takeEarly(early);
      },
    });
    this.url.travelled = () => void this.addressed.travel();
    this.session.listen((message) => {
      const notice = engineNotice(this.session.model.configuration, message);
      if (notice) this.tell(notice);
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
    if (this.begun) this.url.show(this.session.model.link, this.session.id, this.lanes.links);
  }

  /** Plays or pauses all runs, or does one update of each. */
  transport(type: 'play' | 'pause' | 'step'): void {
    if (this.begun) this.lanes.send({ type });
    else this.early.add({ play: type === 'play', step: type === 'step' });
  }

  /** Changes controls of the shown run. */
  change(changes: ParameterValues): void {
    if (this.begun) {
      this.lanes.shown.change(changes);
      return;
    }
    this.session.model.expect(changes);
    this.early.add({ changes });
    this.host.requestUpdate();
  }

  /** Nothing that is scheduled for later steps will happen, in this run and in those that begin anew from it. */
  dropPlan(): void {
    if (this.lanes.shown !== this.session) {
      this.lanes.shown.send({ type: 'drop-plan' });
      return;
    }
    const { step } = this.session.model;
    this.scheduled = this.scheduled.filter((entry) => entry.step <= step);
    if (this.begun) this.session.send({ type: 'drop-plan' });
    else this.early.add({ dropPlan: true });
  }

  /** Back to step 0 with the controls as they are now. */
  reset(): void {
    this.choose(this.again());
  }

  /** After a crash, which ends all runs; or after one of the others stopped, that one alone. */
  restart(): void {
    if (this.lanes.restartShown()) return;
    this.downloads.restarted();
    const saved = this.session.restart();
    if (saved) this.storage.keep(this.session.id, saved);
    this.lanes.restart();
  }

  /** Makes the starting policy of this run on the device, then stands at step 0. */
  warmStart(): void {
    this.before.leave();
    this.lanes.closeAll();
    this.choices.make();
    this.begun = true;
    this.session.warmStart();
    this.sharing.begin();
  }

  /** Gives up a warm start that goes on: back to the run before it as it was kept, or to the usual one. */
  async cancelWarmStart(): Promise<void> {
    const { last } = this.choices;
    await this.before.goBack({
      // Meanwhile it may have come to its end, or something else was begun.
      wanted: () => last === this.choices.last && this.session.model.status === 'warming',
      begin: (again) => this.choose(again, false),
      goOnWith: (kept, wanted) => this.goOnWith(kept, wanted),
      tell: (notice) => this.tell(notice),
    });
  }

  seed(seed: number): void {
    this.enter({ ...this.again(), seed });
  }

  preset(preset: Preset): void {
    this.enter(presetFor(preset, this.again()));
  }

  /** The standard run of another environment. */
  environment(environment: EnvironmentName): void {
    const { engine, seed } = this.session.model.configuration;
    this.enter({ ...openingRun(environment), seed, engine });
  }

  /** The present run under several rules, side by side, from the same starting policy and seed. */
  compare(rules: readonly string[]): void {
    const again = this.again();
    const [first, ...others] = rules.map((rule) => ({ ...again, controls: { ...again.controls, rule } }));
    if (!first) return;
    this.entering(() => this.choose(first, true));
    for (const other of others) this.lanes.begin(other, true);
  }

  copyLink(): Promise<void> {
    const { link } = this.session.model;
    return copyLink(this.url.query(link, this.lanes.links), link, this.answers);
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

  private async open(): Promise<void> {
    const { view, configuration } = this.url.reading;
    this.session.open(this.outside.openWorker);
    // Storage may take its time.
    this.session.send({ type: 'prepare', engine: configuration.engine });
    await this.addressed.open(playsAtOnce(view.panels, location.hash));
  }

  /** The page's element was away, and its worker with it. */
  private goOnAfterAbsence(): void {
    this.restart();
    this.sharing.begin();
  }

  private takeEarly({ changes, step, dropPlan }: Early): void {
    if (Object.keys(changes).length > 0) this.session.change(changes);
    if (dropPlan) this.dropPlan();
    if (step) this.session.send({ type: 'step' });
  }

  /**
   * Goes on with a kept run, as the tab that does so or beside another one; tells whether it was still wanted.
   * @param addressed the address means it; otherwise the visitor chose it, and Back goes back to the present one
   */
  private async goOnWith(kept: KeptRun, wanted: () => boolean, addressed = false): Promise<boolean> {
    const { id } = kept.summary;
    const own = await this.sharing.hold(id);
    if (!wanted()) return false;
    // What was chosen for the run of an address does not hold for one that was chosen instead.
    const early = this.early.take();
    this.storage.leaveToOthers(id, !own);
    this.storage.resume(kept, own && !addressed);
    const goOn = () => this.goOn(kept.saved, kept, addressed && early.play === true);
    if (addressed) goOn();
    else {
      this.notices = [];
      this.entering(goOn);
    }
    if (!own) this.tell(keptStrings.elsewhere(kept.saved.step));
    else if (addressed) this.tell(strings.runs.resumed(kept.saved.step));
    if (addressed) this.takeEarly(early);
    return true;
  }

  /** The visitor chose a new run, which plays if the present one does. */
  private choose(configuration: RunConfiguration, play = this.early.play ?? this.session.plays): void {
    this.choices.make();
    this.notices = [];
    this.begin(configuration, play);
  }

  /** The visitor chose a new run of another kind: Back goes back to the present one. */
  enter(configuration: RunConfiguration): void {
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
    this.before.leave();
    this.lanes.closeAll();
    this.begun = true;
    this.early.take();
    this.answers.clear();
    this.scheduled = schedule;
  }

  /** Leaves the present run its address, as it last was, and gives the next one an address of its own. */
  private entering(begin: () => void): void {
    const leaves = this.begun || this.url.travelling;
    this.hostUpdated();
    begin();
    const { model, id } = this.session;
    if (leaves) this.url.enter(model.link, id, this.lanes.links);
  }

  /** The configuration for beginning again with what was turned by hand. */
  again(): RunConfiguration {
    const { configuration, controls, events } = this.session.model;
    return restarted(configuration, controls, events, this.scheduled);
  }
}
