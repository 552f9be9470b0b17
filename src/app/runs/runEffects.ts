import type { ReactiveControllerHost } from 'lit';
import { asStorageError, type LoadedRun } from '../../storage/runStore.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import type { UrlController } from '../address/urlController.ts';
import { markForeign } from '../customRule/foreignRules.ts';
import type { Answers } from '../look/answers.ts';
import { queryOf, runName } from '../session/naming.ts';
import { newRunId, type SessionController } from '../session/sessionController.ts';
import { strings } from '../strings/strings.ts';
import type { Outside } from './outside.ts';
import type { Effect, PageEvent, StoredRun } from './pageState.ts';
import type { RunDownloads } from './runDownloads.ts';
import type { RunLanes } from './runLanes.ts';
import type { SavedRuns } from './savedRuns.ts';
import type { StorageController } from './storageController.ts';

/** Parts of the page that the effects apply to. */
export interface PageParts {
  readonly host: ReactiveControllerHost;
  readonly url: UrlController;
  readonly session: SessionController;
  readonly storage: StorageController;
  readonly lanes: RunLanes;
  readonly downloads: RunDownloads;
  readonly saved: SavedRuns;
  readonly answers: Answers;
  readonly outside: Pick<Outside, 'openWorker' | 'tabs'>;
  dispatch(event: PageEvent): Promise<void>;
  setNotices(notices: readonly string[]): void;
  notify(notice: string): void;
}

type Performers = { readonly [T in Effect['type']]: (effect: Extract<Effect, { readonly type: T }>) => unknown };

/** Applies the effects of the page's transitions to worker, storage, address and other tabs. */
export class RunEffects {
  constructor(private readonly page: PageParts) {}

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
      const { session, storage, dispatch } = this.page;
      await session.transferred;
      await storage.written;
      await dispatch({ type: 'handed-over', request });
    },
    search: ({ request }) => this.search(request),
    load: async ({ request, summary }) => {
      const stored = await this.page.storage.load(summary);
      if (!stored) this.page.saved.answerFromStorage();
      else await this.page.dispatch({ type: 'loaded', request, match: await this.match(stored) });
    },
    'read-file': ({ request, file }) => this.readFile(request, file),
    'load-previous': async ({ request, id, again }) => {
      const { storage, dispatch } = this.page;
      await storage.written;
      const summary = storage.runs.find((run) => run.id === id);
      const stored = summary && (await storage.load(summary));
      const match = stored && (await this.match(stored));
      await dispatch({ type: 'previous', request, match, again });
    },
    reread: async ({ request }) => {
      const { session, storage, dispatch } = this.page;
      const stored = await storage.load({ id: session.id, name: runName(session.model) });
      if (stored) await dispatch({ type: 'reread', request, stored });
    },
    begin: ({ configuration, play }) => {
      this.replace(() => this.page.session.begin(configuration, { play }));
      this.lock();
    },
    continue: ({ match: { stored, hasLock }, play, isLatest }) => {
      const { saved, curve, summary } = stored;
      this.page.storage.resume(stored, { isLatest, isElsewhere: !hasLock });
      this.replace(() => this.page.session.begin(saved.configuration, { play, saved, curve, id: summary.id }));
    },
    'begin-file': ({ saved }) => {
      const { session, storage } = this.page;
      this.replace(() => session.begin(saved.configuration, { play: false, saved }));
      this.lock();
      storage.adopt(session.id, saved);
    },
    'warm-start': () => {
      this.replace(() => this.page.session.warmStart());
      this.lock();
    },
    restart: ({ run }) => this.restart(run),
    release: () => this.releasePrevious(),
    copy: () => {
      const { id } = this.page.session;
      const copy = newRunId();
      this.page.storage.fork(id, copy);
      this.rename(id, copy);
    },
    rename: ({ id, copy }) => this.rename(id, copy),
    'begin-additional': ({ configurations }) => {
      for (const configuration of configurations) this.page.lanes.begin(configuration, true);
    },
    'open-additional': ({ configurations }) =>
      this.page.lanes.openAdditional(configurations, this.page.session.isTraining),
    send: ({ command, to }) => {
      const { lanes, session } = this.page;
      if (to === 'all') lanes.send(command);
      else (to === 'first' ? session : lanes.selected).send(command);
    },
    change: ({ changes }) => this.page.lanes.selected.change(changes),
    expect: ({ changes }) => {
      this.page.session.model.expect(changes);
      this.page.host.requestUpdate();
    },
    'show-address': () => {
      const { url, session, lanes } = this.page;
      url.show(session.model.link, session.id, lanes.links);
    },
    'enter-address': () => {
      const { url, session, lanes } = this.page;
      url.enter(session.model.link, session.id, lanes.links);
    },
    notices: ({ notices }) => this.page.setNotices(notices),
    notify: ({ notice }) => this.page.notify(notice),
    answer: ({ text }) => this.page.answers.done('runs', text),
  };

  /** Finds the run of the address: the run with the id of the history entry, or a run with the same link. */
  private async search(request: number): Promise<void> {
    const { url, storage, dispatch } = this.page;
    const { reading, runId } = url;
    const { configuration, notices, additionalRuns: additional } = reading;
    const query = queryOf(configuration);
    // If the address has several runs, any of them may be the newest in storage.
    const stored =
      (await storage.latest(query, runId)) ?? (additional.length > 0 ? await storage.find(query, []) : undefined);
    const match = stored && (await this.match(stored));
    // The page wrote this address, and the saved run has the values that the address cannot represent.
    const remarks = stored && stored.summary.id === runId ? [] : notices;
    await dispatch({ type: 'addressed', request, match, configuration, notices: remarks, additional });
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

  private replace(begin: () => void): void {
    this.page.lanes.closeAll();
    this.page.answers.clear();
    begin();
  }

  /** Releases the locks of earlier runs as soon as their last states are in storage. */
  private async releasePrevious(): Promise<void> {
    const { session, storage, outside } = this.page;
    const { id } = session;
    if (session.isPending) return;
    await storage.written;
    if (session.id === id && !session.isPending) outside.tabs.releaseExcept(id);
  }

  private restart(run: 'first' | 'shown'): void {
    const { session, storage, lanes, downloads } = this.page;
    if (run === 'shown') {
      lanes.selected.restart();
      return;
    }
    downloads.restarted();
    const saved = session.restart();
    if (saved) storage.save(session.id, saved);
    lanes.restart();
    void this.lock();
  }

  /** Changes the id of a run. */
  private rename(id: string, copy: string): void {
    const { session, downloads, lanes } = this.page;
    const isSelected = session.id === id;
    session.rename(id, copy);
    downloads.renamed(id, copy);
    lanes.rename(id, copy);
    if (isSelected) void this.lock(copy).then(() => this.releasePrevious());
  }
}
