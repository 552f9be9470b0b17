import type { ReactiveControllerHost } from 'lit';
import { asStorageError, type LoadedRun } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { MAX_LANES, type SavedRun } from '../../training/data/protocol.ts';
import type { UrlController } from '../address/urlController.ts';
import { markForeign } from '../customRule/savedRules.ts';
import type { Answers } from '../look/answers.ts';
import { queryOf, runName } from '../session/naming.ts';
import { SessionController } from '../session/sessionController.ts';
import { strings } from '../strings/strings.ts';
import type { Outside } from './outside.ts';
import type { Effect, PageEvent, StoredRun } from './pageState.ts';
import type { StorageController } from './storageController.ts';
import type { QueueHost, SeedSeries } from './trainingQueue.ts';

/** Page that the effects apply to. */
export interface EffectPage {
  readonly host: ReactiveControllerHost;
  readonly outside: Outside;
  readonly url: UrlController;
  /** First run of the page. */
  readonly session: SessionController;
  readonly storage: StorageController;
  readonly answers: Answers;
  /** All runs, the shown run, and links of the additional runs. */
  readonly all: readonly SessionController[];
  readonly selected: SessionController;
  readonly links: readonly RunConfiguration[];
  notices: readonly string[];
  dispatch(event: PageEvent): Promise<void>;
  notify(notice: string): void;
  listenTo(session: SessionController): void;
  answerFromStorage(): void;
}

type Performers = { readonly [T in Effect['type']]: (effect: Extract<Effect, { readonly type: T }>) => unknown };

/** Applies the effects of the page's transitions to workers, storage, address and other tabs. */
export class RunEffects {
  /** Sessions of the additional runs by their numbers, in the order of the page. */
  readonly lanes = new Map<number, SessionController>();
  /** Sessions of a series of seeds. The page does not show their runs. */
  readonly lent = new Set<SessionController>();
  series: SeedSeries | undefined;

  constructor(private readonly page: EffectPage) {}

  /** Applies an effect. @returns for a request, a promise that resolves when its event has been dispatched */
  perform(effect: Effect): unknown {
    return (this.performers[effect.type] as (given: Effect) => unknown)(effect);
  }

  private readonly performers: Performers = {
    'open-worker': () => {
      const { session, url, outside } = this.page;
      session.open(outside.openWorker);
      // The worker prepares the engine while storage searches for the run.
      session.send({ type: 'prepare', engine: url.reading.configuration.engine });
    },
    'hand-over': async ({ request }) => {
      const { session, storage } = this.page;
      await session.transferred;
      await storage.written;
      await this.page.dispatch({ type: 'handed-over', request });
    },
    search: ({ request }) => this.search(request),
    load: async ({ request, summary }) => {
      const stored = await this.page.storage.load(summary);
      if (!stored) this.page.answerFromStorage();
      else await this.page.dispatch({ type: 'loaded', request, match: await this.match(stored) });
    },
    'read-file': ({ request, file }) => this.readFile(request, file),
    'load-previous': async ({ request, id, again }) => {
      const { storage } = this.page;
      await storage.written;
      const summary = storage.runs.find((run) => run.id === id);
      const stored = summary && (await storage.load(summary));
      const match = stored && (await this.match(stored));
      await this.page.dispatch({ type: 'previous', request, match, again });
    },
    reread: async ({ request }) => {
      const { session, storage } = this.page;
      const stored = await storage.load({ id: session.id, name: runName(session.model) });
      if (stored) await this.page.dispatch({ type: 'reread', request, stored });
    },
    begin: ({ configuration, play }) => {
      this.replace((session) => session.begin(configuration, { play }));
      this.lock();
    },
    continue: ({ match: { stored, hasLock }, play, isLatest }) => {
      const run = this.page.storage.resume(stored, { isLatest, isElsewhere: !hasLock });
      const { saved, curve } = stored;
      this.replace((session) => session.begin(saved.configuration, { play, saved, curve, run }));
    },
    'begin-file': ({ saved }) => {
      const run = this.page.storage.adopt(saved);
      this.replace((session) => session.begin(saved.configuration, { play: false, saved, run }));
      this.lock();
    },
    'warm-start': () => {
      this.replace((session) => session.warmStart());
      this.lock();
    },
    restart: ({ run }) => this.restart(run),
    release: () => this.releasePrevious(),
    copy: () => {
      this.page.session.run.copy();
      return this.lockCopy();
    },
    lock: () => this.lockCopy(),
    'find-additional': async ({ request, configurations }) => {
      const { storage, session } = this.page;
      const play = session.isTraining;
      for (const configuration of configurations) {
        const stored = await storage.find(queryOf(configuration), this.ids);
        const start = stored ? { stored, play } : { configuration, play };
        await this.page.dispatch({ type: 'additional', request, start });
      }
    },
    'begin-lane': (effect) => this.beginLane(effect),
    'close-lane': ({ lane }) => {
      this.lanes.get(lane)?.end();
      this.lanes.delete(lane);
      this.page.host.requestUpdate();
    },
    fork: async ({ request, from, changes }) => {
      const saved = await this.session(from).requestState();
      await this.page.dispatch({ type: 'forked', request, from, saved, changes });
    },
    'pause-for-engine': async ({ request, lane }) => {
      const session = this.session(lane);
      const play = session.isTraining;
      const saved = await session.pause();
      await this.page.dispatch({ type: 'engine-state', request, lane, play, saved });
    },
    'restart-lane': ({ lane, play, engine }) => this.session(lane).restart(play, engine),
    'load-series': async ({ request, count, steps }) => {
      const { selected } = this.page;
      if (selected.requiresConsent()) return;
      const { link } = selected.model;
      const { SeedSeries } = await import('./trainingQueue.ts');
      const series = new SeedSeries(this.queueHost, link, count, steps);
      await this.page.dispatch({ type: 'series-loaded', request, series });
    },
    'open-series': ({ series }) => {
      this.series?.stop();
      this.series = series;
    },
    'train-series': () => void this.series?.train(),
    'close-series': () => this.closeSeries(),
    send: ({ command, to }) => {
      const { all, selected } = this.page;
      for (const session of to === 'all' ? all : [selected]) session.send(command);
    },
    change: ({ changes }) => this.page.selected.change(changes),
    expect: ({ changes }) => {
      this.page.session.model.expect(changes);
      this.page.host.requestUpdate();
    },
    'show-address': () => {
      const { url, session, links } = this.page;
      url.show(session.model.link, session.id, links);
    },
    'enter-address': () => {
      const { url, session, links } = this.page;
      url.enter(session.model.link, session.id, links);
    },
    notices: ({ notices }) => {
      this.page.notices = notices;
    },
    notify: ({ notice }) => this.page.notify(notice),
    answer: ({ text }) => this.page.answers.done('runs', text),
  };

  /** Ids of the runs of the page and of a series. */
  private get ids(): string[] {
    return [...this.page.all, ...this.lent].map(({ id }) => id);
  }

  /** Returns the session of a run of the page. */
  private session(lane: number): SessionController {
    return this.lanes.get(lane) ?? this.page.session;
  }

  /** Finds the run of the address: the run with the id of the history entry, or a run with the same link. */
  private async search(request: number): Promise<void> {
    const { url, storage } = this.page;
    const { reading, runId } = url;
    const { configuration, notices, additionalRuns: additional } = reading;
    const query = queryOf(configuration);
    // If the address has several runs, any of them may be the newest in storage.
    const stored =
      (await storage.latest(query, runId)) ?? (additional.length > 0 ? await storage.find(query, []) : undefined);
    const match = stored && (await this.match(stored));
    // The page wrote this address, and the saved run has the values that the address cannot represent.
    const remarks = stored && stored.summary.id === runId ? [] : notices;
    await this.page.dispatch({ type: 'addressed', request, match, configuration, notices: remarks, additional });
  }

  private async readFile(request: number, file: File): Promise<void> {
    let saved: SavedRun;
    try {
      const { readRunFile } = await import('../../storage/runFile.ts');
      saved = readRunFile(await file.text());
    } catch (error) {
      this.page.answers.failed('runs', strings.storage.badFile(file.name, asStorageError(error).message));
      return;
    }
    const { configuration, events } = saved;
    const changes = [...configuration.schedule, ...events].map((entry) =>
      'changes' in entry ? entry.changes.rule : '',
    );
    markForeign([configuration.controls.rule, ...changes]);
    await this.page.dispatch({ type: 'imported', request, saved, name: file.name });
  }

  /** Requests the lock of a saved run. */
  private async match(stored: LoadedRun): Promise<StoredRun> {
    return { stored, hasLock: await this.lock(stored.summary.id) };
  }

  /** Requests the lock of a run. Dispatches `released` if another tab holds the lock and later closes the run. */
  private lock(id = this.page.session.id): Promise<boolean> {
    return this.page.outside.tabs.lock(id, () => void this.page.dispatch({ type: 'released', id }));
  }

  private async lockCopy(): Promise<void> {
    await this.lock();
    await this.releasePrevious();
  }

  /** Begins another first run. Additional runs and series belong to the run before it. */
  private replace(begin: (session: SessionController) => void): void {
    for (const session of this.lanes.values()) session.end();
    this.lanes.clear();
    this.closeSeries();
    this.page.answers.clear();
    begin(this.page.session);
  }

  /** Releases the locks of earlier runs as soon as their last states are in storage. */
  private async releasePrevious(): Promise<void> {
    const { session, storage, outside } = this.page;
    const { run } = session;
    if (session.isPending) return;
    await storage.written;
    if (session.run === run && !session.isPending) outside.tabs.releaseExcept(run.id);
  }

  private restart(run: 'first' | 'shown'): void {
    const { session, storage, selected } = this.page;
    if (run === 'shown') {
      selected.restart();
      return;
    }
    const saved = session.restart();
    if (saved) storage.save(session.run, saved);
    // The worker of the first run also trained the additional runs.
    for (const lane of this.lanes.values()) {
      lane.reopen();
      lane.restart();
    }
    void this.lock();
  }

  private beginLane({ lane, start }: Extract<Effect, { readonly type: 'begin-lane' }>): void {
    const { storage } = this.page;
    const given = 'stored' in start ? start.stored.saved : 'saved' in start ? start.saved : undefined;
    const session = this.createSession(
      given?.configuration ?? (start as { configuration: RunConfiguration }).configuration,
    );
    this.lanes.set(lane, session);
    this.page.listenTo(session);
    if ('stored' in start) {
      const { saved, curve } = start.stored;
      session.begin(saved.configuration, { play: start.play, saved, curve, run: storage.resume(start.stored) });
    } else if ('saved' in start) {
      const { saved, changes } = start;
      const source = this.session(start.from);
      source.flush();
      const curve = source.model.curve.copy();
      curve.cut(saved.step);
      const { rows: metrics, downsampled } = curve;
      const run = storage.adopt({ ...saved, metrics, ...(downsampled ? { downsampled } : {}) });
      session.begin(saved.configuration, { play: source.isTraining, saved, curve, run });
      session.change(changes);
    } else session.begin(start.configuration, { play: start.play });
    this.page.host.requestUpdate();
  }

  /** Creates a session in the worker of the first run. Its runs are saved. */
  private createSession(configuration: RunConfiguration): SessionController {
    const { host, session: first, storage } = this.page;
    const session = new SessionController(host, configuration);
    session.pace = first.pace;
    session.onForeignRule = first.onForeignRule;
    session.open((listener) => {
      const lane = first.session?.lane?.(listener);
      if (!lane) throw new Error('no worker is available for another run');
      return lane;
    });
    storage.follow(session);
    return session;
  }

  private closeSeries(): void {
    this.series?.stop();
    this.series = undefined;
    this.page.host.requestUpdate();
  }

  private readonly queueHost: QueueHost = {
    borrow: (configuration) => {
      // A running series has reserved its place, also if a fork is pending.
      if (this.page.all.length >= MAX_LANES) return undefined;
      const session = this.createSession(configuration);
      this.lent.add(session);
      return session;
    },
    release: (session) => {
      this.lent.delete(session);
      session.end();
    },
    find: (link) => this.page.storage.find(link, this.ids),
    resume: (stored) => this.page.storage.resume(stored),
    now: () => performance.now(),
    changed: () => this.page.host.requestUpdate(),
  };
}
