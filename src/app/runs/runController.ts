import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunSummary } from '../../storage/runStore.ts';
import type { EnvironmentName, RunConfiguration } from '../../training/data/configuration.ts';
import type { Message } from '../../training/data/protocol.ts';
import { openingRun, type Preset } from '../../training/data/worlds.ts';
import { restarted } from '../address/url.ts';
import { UrlController } from '../address/urlController.ts';
import { MAX_SCHEDULE } from '../address/urlParts.ts';
import { trainsOnOpen } from '../address/viewAddress.ts';
import { Answers } from '../look/answers.ts';
import { presetFor } from '../session/naming.ts';
import type { PaceChoice } from '../session/paceChoice.ts';
import { SessionController } from '../session/sessionController.ts';
import { engineStrings, laneStrings, savedRunStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';
import { hasCapacity } from './laneTransitions.ts';
import { browser, type Outside } from './outside.ts';
import type { PageEvent, PageState, RunFacts, Transport } from './pageState.ts';
import { reduce } from './reduce.ts';
import { RunDownloads } from './runDownloads.ts';
import { RunEffects } from './runEffects.ts';
import { StorageController } from './storageController.ts';
import type { SeedSeries } from './trainingQueue.ts';
import { CLOSED, isOpen } from './transitions.ts';

/** Maximum number of notices on the page. Older notices were read or are no longer relevant. */
const MAX_NOTICES = 5;

/**
 * Runs of the page. Actions of the user and messages of worker, storage and other tabs are events. `reduce` returns
 * their effects, and `RunEffects` applies the effects.
 */
export class RunController implements ReactiveController {
  readonly url: UrlController;
  /** First run of the page, which always exists. */
  readonly session: SessionController;
  readonly storage: StorageController;
  /** Downloads of files. */
  readonly downloads: RunDownloads;
  /** Notices that are not the result of a button. */
  notices: readonly string[];
  /** Results of the buttons that the user pressed. */
  readonly answers: Answers;
  private state: PageState = CLOSED;
  private readonly effects = new RunEffects(this);

  constructor(
    readonly host: ReactiveControllerHost,
    readonly outside: Outside = browser(),
  ) {
    this.url = new UrlController(host);
    const { configuration, notices } = this.url.reading;
    this.notices = notices;
    this.answers = new Answers(() => host.requestUpdate());
    this.session = new SessionController(host, configuration);
    this.storage = new StorageController(host, outside.openStore, outside.tabs, {
      copied: (run, step) => void this.dispatch({ type: 'copied', step, isPresent: run === this.session.run }),
      removed: (id, name) => {
        if (id === this.session.id) this.notify(savedRunStrings.removedElsewhere(name));
      },
    });
    this.storage.follow(this.session);
    this.downloads = new RunDownloads(this, outside.download);
    this.url.travelled = () => void this.dispatch({ type: 'travel' });
    this.listenTo(this.session);
    host.addController(this);
  }

  /** Opens the page, or continues the run if the element returns to the document. A moved element has not closed. */
  hostConnected(): void {
    const { view, configuration } = this.url.reading;
    if (this.state.phase === 'closed') {
      const play = trainsOnOpen(view.panels, location.hash);
      void this.dispatch({ type: 'open', play, scheduled: configuration.schedule });
    } else if (this.session.reopen()) void this.dispatch({ type: 'return' });
  }

  hostUpdated(): void {
    if (isOpen(this.state)) this.url.show(this.session.model.link, this.session.id, this.links);
  }

  /** All runs, beginning with the first run. */
  get all(): readonly SessionController[] {
    return [this.session, ...this.effects.lanes.values()];
  }

  /** Run that the panels show and that their controls change. */
  get selected(): SessionController {
    return this.effects.lanes.get(this.state.selected) ?? this.session;
  }

  /** Configurations that reproduce the additional runs, for the address. */
  get links(): readonly RunConfiguration[] {
    return this.all.slice(1).map(({ model }) => model.link);
  }

  /** True if another run can be added. */
  get hasCapacity(): boolean {
    return hasCapacity(this.state, this.facts);
  }

  /** Series of seeds of one configuration; undefined if no series is open. */
  get series(): SeedSeries | undefined {
    return this.effects.series;
  }

  /** Applies an event. @returns a promise that resolves when the requests of the event have ended */
  async dispatch(event: PageEvent): Promise<void> {
    const { state, effects } = reduce(this.state, { ...event, run: this.facts });
    if (state !== this.state) this.host.requestUpdate();
    this.state = state;
    await Promise.all(effects.map((effect) => this.effects.perform(effect)));
  }

  /** Trains all runs, pauses all runs, or performs one update of each run. */
  transport(button: Transport): void {
    void this.dispatch({ type: 'transport', button });
  }

  /** Changes controls of the run in the panels. */
  change(changes: ParameterValues): void {
    void this.dispatch({ type: 'change', changes });
  }

  /** Removes the scheduled changes after the present step, from this run and from runs that begin from it. */
  dropPlan(): void {
    void this.dispatch({ type: 'drop-plan' });
  }

  /** Starts the run again at step 0 with the present controls. */
  reset(): void {
    void this.dispatch({ type: 'choose', configuration: this.again(), isEntry: false });
  }

  /** Shows one of the runs in the panels, or closes an additional run. */
  lane(act: 'show' | 'close', index: number): void {
    void this.dispatch({ type: act, lane: index === 0 ? 0 : (this.state.lanes[index - 1] ?? 0) });
  }

  /** Sets the pace of all runs. */
  pace(pace: PaceChoice): void {
    for (const session of this.all) session.choosePace(pace);
  }

  /** Cancels a warm start. Returns to the saved state of the previous run, or to the standard run. */
  cancelWarmStart(): Promise<void> {
    const { environment, engine } = this.session.model.configuration;
    return this.dispatch({ type: 'cancel-warm-start', usual: { ...openingRun(environment), engine } });
  }

  seed(seed: number): void {
    this.enter({ ...this.again(), seed });
  }

  preset(preset: Preset): void {
    this.enter(presetFor(preset, this.again()));
  }

  /** Opens the standard run of another environment, with the present seed and engine. */
  environment(environment: EnvironmentName): void {
    const { engine, seed } = this.session.model.configuration;
    this.enter({ ...openingRun(environment), seed, engine });
  }

  /** Begins a new run as a new entry of the history. Back returns to the present run. */
  enter(configuration: RunConfiguration): void {
    void this.dispatch({ type: 'choose', configuration, isEntry: true });
  }

  /** Trains one run per rule, side by side, from the starting policy and seed of the present run. */
  compare(rules: readonly string[]): void {
    const again = this.again();
    const [configuration, ...additional] = rules.map((rule) => ({ ...again, controls: { ...again.controls, rule } }));
    if (configuration) void this.dispatch({ type: 'choose', configuration, additional, play: true, isEntry: true });
  }

  /** Copies the address of the runs to the clipboard. */
  async copyLink(): Promise<void> {
    const { link } = this.session.model;
    const { href } = new URL(this.url.query(link, this.links), location.href);
    const { copied, copiedLong, copyFailed } = strings.share;
    try {
      await navigator.clipboard.writeText(href);
      const changes = link.schedule.length;
      this.answers.done('share', changes > MAX_SCHEDULE ? copiedLong(changes, MAX_SCHEDULE) : copied);
    } catch {
      this.answers.failed('share', copyFailed);
    }
  }

  /** Shows a notice that is not the result of a button. */
  notify(notice: string): void {
    this.notices = [...this.notices.filter((known) => known !== notice), notice].slice(-MAX_NOTICES);
    this.host.requestUpdate();
  }

  async removeSaved(run: RunSummary): Promise<void> {
    if (!(await this.storage.remove(run))) return this.answerFromStorage();
    const { removedCurrent, removed } = savedRunStrings;
    this.answers.done('runs', (run.id === this.session.id ? removedCurrent : removed)(run.name));
  }

  /** Saves the first run again after it was deleted. */
  resave(): void {
    const { run, model } = this.session;
    this.storage.resave(run, model.curve);
    this.answers.done('runs', savedRunStrings.savedNotice);
    if (model.status !== 'stopped') this.session.send({ type: 'save' });
    else if (model.checkpoint) this.storage.save(run, model.checkpoint);
  }

  /** Shows the notice of storage next to the button that the user pressed. */
  answerFromStorage(): void {
    const notice = this.storage.consumeNotice();
    if (notice) this.answers.failed('runs', notice);
  }

  dismissNotices(): void {
    this.notices = [];
    this.storage.dismiss();
  }

  /** Returns the configuration for a restart with the user's changes of the controls. */
  again(): RunConfiguration {
    const { configuration, controls, events } = this.session.model;
    return restarted(configuration, controls, events, this.state.scheduled);
  }

  /** Shows the notices of the messages of a run. */
  listenTo(session: SessionController): void {
    session.listen((message) => {
      if (session === this.session) this.receive(message);
      // The page reports a missing feature of the browser only once.
      else if (message.type === 'problem' && message.problem.kind !== 'no-engine') {
        this.notify(laneStrings.problem(this.all.indexOf(session) + 1, message.problem.message));
      }
      if (message.type !== 'ready' && message.type !== 'device') return;
      const { engine: requested } = session.model.configuration;
      const { engine } = message.device;
      if (requested === undefined || engine === requested) return;
      const { different, replaced } = engineStrings;
      this.notify(message.type === 'ready' ? different(requested, engine) : replaced(engine));
    });
  }

  private receive(message: Message): void {
    if (message.type === 'ready') void this.dispatch({ type: 'ready' });
    if (message.type === 'status' && (message.status === 'warming' || message.status === 'stopped')) {
      void this.dispatch({ type: message.status });
    }
  }

  private get facts(): RunFacts {
    const { id, isTraining, model } = this.session;
    return { id, trains: isTraining, link: model.link, step: model.step, lent: this.effects.series?.running ? 1 : 0 };
  }
}
