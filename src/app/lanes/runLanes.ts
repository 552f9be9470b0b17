import type { ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { LoadedRun } from '../../storage/runStore.ts';
import type { EngineName, RunConfiguration } from '../../training/data/configuration.ts';
import { type Command, MAX_LANES, type SavedRun } from '../../training/data/protocol.ts';
import { queryOf } from '../address/runQuery.ts';
import { engineNotice } from '../runs/engineNotice.ts';
import type { StorageController } from '../runs/storageController.ts';
import type { PaceChoice } from '../session/paceChoice.ts';
import { newRunId, SessionController } from '../session/sessionController.ts';
import { engineStrings } from '../strings/engineStrings.ts';
import { laneStrings } from '../strings/laneStrings.ts';
import type { SeedSeries, SeriesHost } from './seedSeries.ts';

/** Interface of the page's runs that the lanes use. */
export interface LanesHost {
  readonly host: ReactiveControllerHost;
  /** The page's first run, which is always there. */
  readonly first: SessionController;
  readonly storage: Pick<StorageController, 'follow' | 'adopt' | 'find' | 'resume'>;
  notify(notice: string): void;
}

/**
 * Runs in addition to the page's first one, in the same worker and on the same device. Each is a separate session and
 * is saved as a separate run. The panels show one of all runs.
 */
export class RunLanes {
  private lanes: readonly SessionController[] = [];
  private chosen: SessionController | undefined;
  /** True while a requested state of a run has not arrived. */
  private forking = false;
  /** Runs that are trained for somebody else, and not shown. */
  private readonly lent = new Set<SessionController>();
  /** One configuration with several seeds. */
  series: SeedSeries | undefined;
  /** Number of requests to begin or close a series. A series of an earlier request does not begin. */
  private seriesRequest = 0;

  constructor(private readonly page: LanesHost) {}

  /** All runs, the first one first. */
  get all(): readonly SessionController[] {
    return [this.page.first, ...this.lanes];
  }

  /** The run that the panels show, and that what is turned there is turned of. */
  get selected(): SessionController {
    return this.chosen ?? this.page.first;
  }

  /** True if one more run can be trained. */
  get hasCapacity(): boolean {
    return !this.forking && this.all.length + this.lent.size < MAX_LANES;
  }

  /** Configurations that make the other runs again, for the address. */
  get links(): readonly RunConfiguration[] {
    return this.lanes.map(({ model }) => model.link);
  }

  show(session: SessionController): void {
    this.chosen = this.lanes.includes(session) ? session : undefined;
    this.page.host.requestUpdate();
  }

  /** To every run. */
  send(command: Command): void {
    for (const session of this.all) session.send(command);
  }

  /**
   * Continues the shown run twice: unchanged, and in a new lane with some controls changed. Both have the same past.
   * @returns true if there is another run now
   */
  async fork(changes: ParameterValues): Promise<boolean> {
    if (!this.hasCapacity) return false;
    const from = this.selected;
    const { id, generation } = from;
    this.forking = true;
    const saved = await stateOf(from).finally(() => {
      this.forking = false;
    });
    // Another run took its place meanwhile.
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

  /** The shown run continues on another engine after its last update. */
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

  /** One more run from its beginning. */
  begin(configuration: RunConfiguration, play: boolean): void {
    if (!this.hasCapacity) return;
    const { session, id } = this.open(configuration, newRunId());
    session.begin(configuration, { play, id });
  }

  /** Opens the runs of an address after the first one. Saved runs continue, and the other runs begin. */
  async openAdditional(configurations: readonly RunConfiguration[], play: boolean): Promise<void> {
    const { first, storage } = this.page;
    const { generation } = first;
    for (const configuration of configurations) {
      const stored = await storage.find(
        queryOf(configuration),
        this.all.map(({ id }) => id),
      );
      // Another first run was chosen meanwhile.
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

  /** Closes the run here; the run remains saved. The first run cannot be closed. */
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

  /** Trains the configuration of the shown run with seeds 1 to `count` for `steps` updates; the other runs pause. */
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

  /** Another pace, of all runs. */
  pace(pace: PaceChoice): void {
    for (const session of this.all) session.choosePace(pace);
  }

  /** The first run's worker was replaced. The other runs continue in the new worker, each from its last state. */
  restart(): void {
    for (const session of this.lanes) {
      session.reopen();
      session.restart();
    }
  }

  /** A run has another number in storage. */
  rename(id: string, newId: string): void {
    for (const session of this.lanes) session.rename(id, newId);
  }

  private open(configuration: RunConfiguration, id: string) {
    const session = this.createSession(configuration, id);
    session.listen((message) => {
      // A message about a missing feature of the browser is about the page, and appears once.
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

/** Waits until a run does not play. */
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

/** The run as it is between two updates; undefined where it cannot be had. */
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
