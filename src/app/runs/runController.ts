import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunSummary } from '../../storage/runStore.ts';
import type { EnvironmentName, RunConfiguration } from '../../training/data/configuration.ts';
import type { Preset } from '../../training/data/presets.ts';
import type { Message } from '../../training/data/protocol.ts';
import { openingRun } from '../../training/data/worlds.ts';
import { restarted } from '../address/link.ts';
import { trainsOnOpen } from '../address/panels.ts';
import { describe } from '../address/runQuery.ts';
import { UrlController } from '../address/urlController.ts';
import { RunLanes } from '../lanes/runLanes.ts';
import { Answers } from '../look/answers.ts';
import { SessionController } from '../session/sessionController.ts';
import { copyLink } from '../shell/copyLink.ts';
import { browser, type Outside } from '../shell/outside.ts';
import { savedRunStrings } from '../strings/savedRunStrings.ts';
import { engineNotice } from './engineNotice.ts';
import { presetFor } from './naming.ts';
import type { PageEvent, PageState, RunFacts, Transport } from './pageState.ts';
import { reduce } from './reduce.ts';
import { RunDownloads } from './runDownloads.ts';
import { RunEffects } from './runEffects.ts';
import { SavedRuns } from './savedRuns.ts';
import { StorageController } from './storageController.ts';
import { CLOSED, isOpen } from './transitions.ts';

/** Maximum number of notices at a time; older notices were read or are no longer relevant. */
const MAX_NOTICES = 5;

/**
 * The runs of the page. Every action of the user and every answer of worker, storage and other tabs is an event; `reduce`
 * decides what it changes, and `RunEffects` does it.
 */
export class RunController implements ReactiveController {
  readonly url: UrlController;
  readonly session: SessionController;
  readonly storage: StorageController;
  /** Additional runs. */
  readonly lanes: RunLanes;
  /** Files for the user. */
  readonly downloads: RunDownloads;
  /** Saved runs that the page lists. */
  readonly saved: SavedRuns;
  /** Things to know that no button was pressed for, for people. */
  notices: readonly string[];
  /** Results of the buttons that the user pressed. */
  readonly answers: Answers;
  private state: PageState = CLOSED;
  private readonly effects: RunEffects;

  constructor(
    private readonly host: ReactiveControllerHost,
    outside: Outside = browser(),
  ) {
    this.url = new UrlController(host);
    const { configuration, notices } = this.url.reading;
    this.notices = notices;
    this.answers = new Answers(() => host.requestUpdate());
    this.session = new SessionController(host, configuration);
    this.storage = new StorageController(host, outside.openStore, this.session, describe, outside.tabs);
    const notify = (notice: string) => this.notify(notice);
    this.lanes = new RunLanes({ host, first: this.session, storage: this.storage, notify });
    this.downloads = new RunDownloads(this.session, this.storage, this.answers, outside.download, this.lanes);
    this.saved = new SavedRuns(this.session, this.storage, this.downloads, this.answers);
    const { url, session, storage, lanes, downloads, saved, answers } = this;
    this.effects = new RunEffects({
      ...{ host, url, session, storage, lanes, downloads, saved, answers, outside, notify },
      dispatch: (event) => this.dispatch(event),
      setNotices: (given) => {
        this.notices = given;
      },
    });
    storage.listener = {
      copied: (id, copy, isReopened, { step }) => void this.dispatch({ type: 'copied', id, copy, isReopened, step }),
      removed: (id, name) => {
        if (id === session.id) this.notify(savedRunStrings.removedElsewhere(name));
      },
    };
    url.travelled = () => void this.dispatch({ type: 'travel' });
    session.listen((message) => this.receive(message));
    host.addController(this);
  }

  /** An element that returns to the document continues its run; one that was moved never left. */
  hostConnected(): void {
    const { view, configuration } = this.url.reading;
    if (this.state.phase === 'closed') {
      const play = trainsOnOpen(view.panels, location.hash);
      void this.dispatch({ type: 'open', play, scheduled: configuration.schedule });
    } else if (this.session.reopen()) void this.dispatch({ type: 'return' });
  }

  hostUpdated(): void {
    if (isOpen(this.state)) this.url.show(this.session.model.link, this.session.id, this.lanes.links);
  }

  /** @returns a promise that is done when the requests of the event have their answers */
  async dispatch(event: PageEvent): Promise<void> {
    const { state, effects } = reduce(this.state, { ...event, run: this.facts });
    this.state = state;
    await Promise.all(effects.map((effect) => this.effects.perform(effect)));
  }

  /** Trains or pauses all runs, or does one update of each. */
  transport(button: Transport): void {
    void this.dispatch({ type: 'transport', button });
  }

  /** Changes controls of the shown run. */
  change(changes: ParameterValues): void {
    void this.dispatch({ type: 'change', changes });
  }

  /** Nothing that is scheduled for later steps happens, in this run and in runs that begin from it. */
  dropPlan(): void {
    void this.dispatch({ type: 'drop-plan' });
  }

  /** Back to step 0 with the controls as they are now. */
  reset(): void {
    void this.dispatch({ type: 'choose', configuration: this.again(), isEntry: false });
  }

  /** After a crash, which ends all runs; or after one of the other runs stopped, that one alone. */
  restart(): void {
    void this.dispatch({ type: 'restart' });
  }

  /** Makes the starting policy of this run on the device, then pauses at step 0. */
  warmStart(): void {
    void this.dispatch({ type: 'warm-start' });
  }

  /** Ends a warm start: back to the run before as it was saved, or to the standard run. */
  cancelWarmStart(): Promise<void> {
    const { environment, engine } = this.session.model.configuration;
    return this.dispatch({ type: 'cancel-warm-start', usual: { ...openingRun(environment), engine } });
  }

  /** Opens a run of this device, paused. */
  openSaved(summary: RunSummary): Promise<void> {
    return this.dispatch({ type: 'open-saved', summary });
  }

  /** Opens the run in a file. A file without a run is named, and changes nothing. */
  importFile(file: File): Promise<void> {
    return this.dispatch({ type: 'import', file });
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

  /** The user chose a new run of another kind: Back returns to the present one. */
  enter(configuration: RunConfiguration): void {
    void this.dispatch({ type: 'choose', configuration, isEntry: true });
  }

  /** The present run under several rules, side by side, from the same starting policy and seed. */
  compare(rules: readonly string[]): void {
    const again = this.again();
    const [configuration, ...additional] = rules.map((rule) => ({ ...again, controls: { ...again.controls, rule } }));
    if (configuration) void this.dispatch({ type: 'choose', configuration, additional, play: true, isEntry: true });
  }

  copyLink(): Promise<void> {
    const { link } = this.session.model;
    return copyLink(this.url.query(link, this.lanes.links), link, this.answers);
  }

  /** Something to know that no button was pressed for. */
  notify(notice: string): void {
    this.notices = [...this.notices.filter((known) => known !== notice), notice].slice(-MAX_NOTICES);
    this.host.requestUpdate();
  }

  dismissNotices(): void {
    this.notices = [];
    this.storage.dismiss();
  }

  /** The configuration for beginning again with the controls that the user changed. */
  again(): RunConfiguration {
    const { configuration, controls, events } = this.session.model;
    return restarted(configuration, controls, events, this.state.scheduled);
  }

  private receive(message: Message): void {
    if (message.type === 'ready') void this.dispatch({ type: 'ready' });
    if (message.type === 'status' && (message.status === 'warming' || message.status === 'stopped')) {
      void this.dispatch({ type: message.status });
    }
    const notice = engineNotice(this.session.model.configuration, message);
    if (notice) this.notify(notice);
  }

  private get facts(): RunFacts {
    const { id, isTraining, model } = this.session;
    return {
      id,
      trains: isTraining,
      link: model.link,
      step: model.step,
      isSelected: this.lanes.selected === this.session,
    };
  }
}
