import type { ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { LoadedRun } from '../../storage/runStore.ts';
import type { EngineName, RunConfiguration } from '../../training/data/configuration.ts';
import { type Command, MAX_LANES, type SavedRun } from '../../training/data/protocol.ts';
import { queryOf } from '../session/naming.ts';
import type { PaceChoice } from '../session/paceChoice.ts';
import { newRunId, SessionController } from '../session/sessionController.ts';
import { engineStrings } from '../strings/engineStrings.ts';
import { laneStrings } from '../strings/laneStrings.ts';
import { engineNotice } from './engineNotice.ts';
import type { SeedSeries, SeriesHost } from './seedSeries.ts';
import type { StorageController } from './storageController.ts';

/** Parts of the page that additional runs use. */
export interface LanesHost {
  readonly host: ReactiveControllerHost;
  /** First run of the page, which always exists. */
  readonly first: SessionController;
  readonly storage: Pick<StorageController, 'follow' | 'adopt' | 'find' | 'resume'>;
  notify(notice: string): void;
}

/**
 * Additional runs of the page, in the same worker and on the same device as the first run. Each run has a separate
 * session and is saved separately. The panels show one of all runs.
 */
export class RunLanes {
  private lanes: readonly SessionController[] = [];
  private chosen: SessionController | undefined;
  /** True while a requested state of a run has not arrived. */
  private forking = false;
  /** Sessions that a series of seeds uses. The page does not show their runs. */
  private readonly lent = new Set<SessionController>();
  /** Series of seeds of one configuration; undefined if no series is open. */
  series: SeedSeries | undefined;
  /** Number of requests to begin or close a series. Only the last request may begin a series. */
  private seriesRequest = 0;

  constructor(private readonly page: LanesHost) {}

  /** All runs, beginning with the first run of the page. */
  get all(): readonly SessionController[] {
    return [this.page.first, ...this.lanes];
  }

  /** Run that the panels show and that their controls change. */
  get selected(): SessionController {
    return this.chosen ?? this.page.first;
  }

  /** True if another run can be added. */
  get hasCapacity(): boolean {
    return !this.forking && this.all.length + this.lent.size < MAX_LANES;
  }

  /** Configurations that reproduce the additional runs, for the address. */
  get links(): readonly RunConfiguration[] {
    return this.lanes.map(({ model }) => model.link);
  }

  show(session: SessionController): void {
    this.chosen = this.lanes.includes(session) ? session : undefined;
    this.page.host.requestUpdate();
  }

  /** Sends a command to all runs. */
  send(command: Command): void {
    for (const session of this.all) session.send(command);
  }

  /**
   * Forks the selected run: it continues unchanged, and an additional run continues from the same state with some
   * controls changed.
   * @returns true if the additional run was created
   */
  async fork(changes: ParameterValues): Promise<boolean> {
    if (!this.hasCapacity) return false;
    const from = this.selected;
    const { id, generation } = from;
    this.forking = true;
    const saved = await stateOf(from).finally(() => {
      this.forking = false;
    });
    // The run was replaced or closed meanwhile.
    if (from.id !== id || from.generation !== generation || !this.all.includes(from)) return false;
    from.flush();
    if (!saved) {
      this.page.notify(laneStrings.noState);
      return false;
    }
    const curve = from.model.curve.copy();
    curve.cut(saved.step);
    const lane = this.open(saved.configuration, newRunId());
    this.page.storage.adopt(lane.id, {
      ...saved,
      metrics: curve.rows,
      ...(curve.downsampled ? { downsampled: curve.downsampled } : {}),
    });
    lane.session.begin(saved.configuration, { play: from.isTraining, saved, curve, id: lane.id });
    lane.session.change(changes);
    return true;
  }

  /** Continues the selected run on another engine after its last update. */
  async changeEngine(engine: EngineName): Promise<void> {
    const session = this.selected;
    const { id, generation } = session;
    const continues = session.isTraining;
    session.send({ type: 'pause' });
    await atRest(session);
    const saved = await stateOf(session);
    if (session.id !== id || session.generation !== generation || !this.all.includes(session)) return;
    if (saved) session.restart(continues, engine);
    else this.page.notify(engineStrings.noState);
  }

  /** Begins an additional run at step 0. */
  begin(configuration: RunConfiguration, play: boolean): void {
    if (!this.hasCapacity) return;
    const { session, id } = this.open(configuration, newRunId());
    session.begin(configuration, { play, id });
  }

  /** Opens the additional runs of an address. Saved runs continue, and other runs begin at step 0. */
  async openAdditional(configurations: readonly RunConfiguration[], play: boolean): Promise<void> {
    const { first, storage } = this.page;
    const { generation } = first;
    for (const configuration of configurations) {
      const stored = await storage.find(
        queryOf(configuration),
        this.all.map(({ id }) => id),
      );
      // The first run was replaced meanwhile.
      if (first.generation !== generation || !this.hasCapacity) return;
      if (stored) this.goOn(stored, play);
      else this.begin(configuration, play);
    }
  }

  private goOn(stored: LoadedRun, play: boolean): void {
    const { saved, curve, summary } = stored;
    this.page.storage.resume(stored);
    const { session, id } = this.open(saved.configuration, summary.id);
    session.begin(saved.configuration, { play, saved, curve, id });
  }

  /** Closes an additional run. The run remains saved. The first run cannot be closed. */
  close(session: SessionController): void {
    if (!this.lanes.includes(session)) return;
    this.lanes = this.lanes.filter((lane) => lane !== session);
    if (this.chosen === session) this.chosen = undefined;
    session.end();
    this.page.host.requestUpdate();
  }

  closeAll(): void {
    for (const session of this.lanes) this.close(session);
    this.closeSeries();
  }

  /** Trains the configuration of the selected run with seeds 1 to `count` for `steps` updates. All other runs pause. */
  async trainSeeds(count: number, steps: number): Promise<void> {
    if (this.selected.requiresConsent()) return;
    this.closeSeries();
    const request = this.seriesRequest;
    const { link } = this.selected.model;
    const { SeedSeries } = await import('./seedSeries.ts');
    if (request !== this.seriesRequest) return;
    this.series = new SeedSeries(this.seriesHost(), link, count, steps);
    this.goOnWithSeeds();
  }

  goOnWithSeeds(): void {
    if (!this.series) return;
    this.send({ type: 'pause' });
    void this.series.train();
    this.page.host.requestUpdate();
  }

  closeSeries(): void {
    this.seriesRequest += 1;
    this.series?.stop();
    this.series = undefined;
    this.page.host.requestUpdate();
  }

  private seriesHost(): SeriesHost {
    const { storage, host } = this.page;
    return {
      borrow: (configuration, id) => this.borrow(configuration, id),
      release: (session) => this.release(session),
      find: (link) =>
        storage.find(
          link,
          this.all.map(({ id }) => id),
        ),
      resume: (stored) => storage.resume(stored),
      now: () => performance.now(),
      changed: () => host.requestUpdate(),
    };
  }

  private borrow(configuration: RunConfiguration, id: string): SessionController | undefined {
    if (!this.hasCapacity) return undefined;
    const session = this.createSession(configuration, id);
    this.lent.add(session);
    return session;
  }

  private release(session: SessionController): void {
    this.lent.delete(session);
    session.end();
  }

  /** Sets the pace of all runs. */
  pace(pace: PaceChoice): void {
    for (const session of this.all) session.choosePace(pace);
  }

  /** Continues the additional runs from their last states, after the worker of the first run was replaced. */
  restart(): void {
    for (const session of this.lanes) {
      session.reopen();
      session.restart();
    }
  }

  /** Changes the id of a run in storage. */
  rename(id: string, newId: string): void {
    for (const session of this.lanes) session.rename(id, newId);
  }

  private open(configuration: RunConfiguration, id: string) {
    const session = this.createSession(configuration, id);
    session.listen((message) => {
      // The page reports a missing feature of the browser only once.
      if (message.type === 'problem' && message.problem.kind !== 'no-engine')
        this.page.notify(laneStrings.problem(this.numberOf(session), message.problem.message));
      const notice = engineNotice(session.model.configuration, message);
      if (notice) this.page.notify(notice);
    });
    this.lanes = [...this.lanes, session];
    this.page.host.requestUpdate();
    return { session, id };
  }

  private createSession(configuration: RunConfiguration, id: string): SessionController {
    const { host, first, storage } = this.page;
    const session = new SessionController(host, configuration);
    session.pace = first.pace;
    session.onForeignRule = first.onForeignRule;
    session.open((listener) => {
      const lane = first.session?.lane?.(listener);
      if (!lane) throw new Error('no worker is available for another run');
      return lane;
    });
    storage.follow(session, id);
    return session;
  }

  private numberOf(session: SessionController): number {
    return this.all.indexOf(session) + 1;
  }
}

/** Resolves when a run has paused or stopped. */
function atRest(session: SessionController): Promise<void> {
  session.flush();
  if (session.model.status !== 'playing') return Promise.resolve();
  return new Promise((resolve) => {
    const end = session.listen((message) => {
      if (message.type !== 'status' || message.status === 'playing') return;
      end();
      resolve();
    });
  });
}

/** Returns the state of a run between two updates, or undefined if it is not available. */
function stateOf(session: SessionController): Promise<SavedRun | undefined> {
  session.flush();
  const { model } = session;
  if (model.status === 'stopped') return Promise.resolve(model.checkpoint);
  return new Promise((resolve) => {
    const end = session.listen((message) => {
      const over = message.type === 'ready' || (message.type === 'status' && message.status === 'stopped');
      if (message.type !== 'checkpoint' && !over) return;
      end();
      resolve(message.type === 'checkpoint' ? message.saved : undefined);
    });
    session.send({ type: 'save' });
  });
}
