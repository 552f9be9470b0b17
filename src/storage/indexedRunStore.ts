import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb';
import type { Metrics, SavedRun } from '../training/data/protocol.ts';
import { Curve, mergeDownsampling } from './curve.ts';
import {
  asStorageError,
  type Basis,
  checkBasis,
  type LoadedRun,
  type RunStore,
  type RunSummary,
  StorageError,
} from './runStore.ts';
import { checkState, readRows } from './savedRun.ts';

type PageKey = [run: string, page: number];

/**
 * Layout of the database. Summaries, states and metrics are stored separately, so that a list of runs reads no weights
 * and a save does not write the whole curve.
 */
interface Schema extends DBSchema {
  summaries: { key: string; value: RunSummary };
  runs: { key: string; value: Omit<SavedRun, 'metrics'> };
  pages: { key: PageKey; value: readonly Metrics[] };
}

type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<Schema, StoreNames<Schema>[], Mode>;

const NAME = 'turnwise';
const VERSION = 2;
const STORES: StoreNames<Schema>[] = ['summaries', 'runs', 'pages'];

/** Time after which a browser that neither opens nor rejects the database is treated as rejecting it [ms]. */
const OPEN_MS = 8000;

/** Number of the latest updates that a loaded run contains. */
const NEWEST = 32;

/**
 * Opens the stored runs of this device.
 * @throws {StorageError} 'refused' if the browser does not allow storage (private windows, sandboxed frames)
 */
export async function openRunStore(): Promise<RunStore> {
  try {
    if (typeof indexedDB === 'undefined') throw new StorageError('refused', 'this browser has no IndexedDB');
    return new IndexedRunStore(await inTime(open()));
  } catch (error) {
    throw new StorageError('refused', asStorageError(error).message);
  }
}

async function open(): Promise<IDBPDatabase<Schema>> {
  let existing = 0;
  const opening = openDB<Schema>(NAME, VERSION, {
    upgrade(database, from, _to, transaction) {
      existing = from;
      if (from > 0) {
        transaction.done.catch(() => {});
        transaction.abort();
        return;
      }
      database.createObjectStore('summaries', { keyPath: 'id' });
      database.createObjectStore('runs');
      database.createObjectStore('pages');
    },
    // A newer page in another tab upgrades the database. The upgrade requires that this connection closes.
    blocking(_current, _blocked, event) {
      (event.target as IDBDatabase).close();
    },
  });
  try {
    return await opening;
  } catch (error) {
    if (existing === 0) throw error;
    const remedy = 'delete the data of this site in the browser settings to save runs';
    throw new StorageError('refused', `database "${NAME}" has version ${existing}, not ${VERSION}; ${remedy}`);
  }
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  const late = new Promise<T>((_, reject) => {
    setTimeout(() => reject(new StorageError('refused', 'the browser does not answer')), OPEN_MS);
  });
  return Promise.race([promise, late]);
}

/** Returns the key range of the pages of a run, starting at a page number. */
function pagesFrom(run: string, first: number): IDBKeyRange {
  return IDBKeyRange.bound([run, first], [run, Number.POSITIVE_INFINITY]);
}

class IndexedRunStore implements RunStore {
  constructor(private readonly database: IDBPDatabase<Schema>) {}

  async list(): Promise<RunSummary[]> {
    const summaries = await guard(() => this.database.getAll('summaries'));
    return summaries.sort((a, b) => b.savedAt - a.savedAt);
  }

  load(id: string): Promise<LoadedRun> {
    return guard(async () => {
      const transaction = this.database.transaction(STORES);
      const summary = await transaction.objectStore('summaries').get(id);
      if (!summary) throw new StorageError('removed', 'it was removed');
      const contents = await transaction.objectStore('runs').get(id);
      if (!contents) throw new StorageError('corrupt', 'its contents are missing');
      const { downsampled: _, ...state } = checkState(contents);
      const curve = new Curve();
      let read = 0;
      for await (const { value, key } of transaction.objectStore('pages').iterate(pagesFrom(id, 0))) {
        const name = `page ${key[1]} of its metrics`;
        for (const row of readRows(value, name)) {
          if (row.step >= state.step) throw new StorageError('corrupt', `${name} holds update ${row.step}`);
          curve.push(row);
          read += 1;
        }
      }
      if (read < state.step && !summary.downsampled) {
        throw new StorageError('corrupt', `it has ${read} updates of ${state.step}`);
      }
      curve.downsampled = mergeDownsampling(curve.downsampled, summary.downsampled);
      return { summary, saved: { ...state, metrics: curve.rows.slice(-NEWEST) }, curve };
    });
  }

  async *rows(id: string, before: number): AsyncIterable<readonly Metrics[]> {
    const keys = await guard(() => this.database.getAllKeys('pages', pagesFrom(id, 0)));
    for (const key of keys) {
      const page = await guard(() => this.database.get('pages', key));
      const rows = readRows(page, `page ${key[1]} of its metrics`).filter(({ step }) => step < before);
      if (rows.length > 0) yield rows;
    }
  }

  save(summary: RunSummary, saved: SavedRun, basis: Basis): Promise<void> {
    return this.change(async (transaction) => {
      const { metrics, ...contents } = saved;
      const summaries = transaction.objectStore('summaries');
      checkBasis(await summaries.get(summary.id), basis);
      const first = metrics[0]?.step ?? saved.step;
      const previous = await this.share(transaction, summary.id, basis, first);
      const pages = transaction.objectStore('pages');
      await pages.delete(pagesFrom(summary.id, pageOf(first)));
      for (const [number, rows] of pagesOf([...previous, ...metrics])) await pages.put(rows, [summary.id, number]);
      await transaction.objectStore('runs').put(contents, summary.id);
      await summaries.put(summary);
    });
  }

  remove(id: string): Promise<void> {
    return this.change(async (transaction) => {
      await transaction.objectStore('pages').delete(pagesFrom(id, 0));
      await transaction.objectStore('runs').delete(id);
      await transaction.objectStore('summaries').delete(id);
    });
  }

  /**
   * Copies the pages before a step from the run that shares them. Returns the rows before the step in the step's page.
   */
  private async share(
    transaction: Transaction<'readwrite'>,
    id: string,
    { sharedWith = id }: Basis,
    first: number,
  ): Promise<readonly Metrics[]> {
    const pages = transaction.objectStore('pages');
    if (sharedWith !== id && first > 0) {
      if (!(await transaction.objectStore('summaries').get(sharedWith))) {
        throw new StorageError('removed', 'the run that it continues was removed');
      }
      for await (const { key, value } of pages.iterate(
        IDBKeyRange.bound([sharedWith, 0], [sharedWith, pageOf(first)]),
      )) {
        await pages.put(value, [id, key[1]]);
      }
    }
    const page = (await pages.get([id, pageOf(first)])) ?? [];
    return page.filter(({ step }) => step < first);
  }

  /** Runs changes in one transaction. An error leaves the database unchanged. */
  private change(act: (transaction: Transaction<'readwrite'>) => Promise<void>): Promise<void> {
    return guard(async () => {
      const transaction = this.database.transaction(STORES, 'readwrite');
      // A failed transaction also rejects this promise.
      const done = transaction.done.then(() => undefined);
      done.catch(() => {});
      try {
        await act(transaction);
      } catch (error) {
        try {
          transaction.abort();
        } catch {
          // The browser already aborted the transaction.
        }
        throw error;
      }
      await done;
    });
  }
}

async function guard<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw asStorageError(error);
  }
}

/** Number of steps per page. Page n has the updates from step n * PAGE to (n + 1) * PAGE - 1. */
const PAGE = 1000;

/** Returns the page of a step. */
function pageOf(step: number): number {
  return Math.floor(step / PAGE);
}

/** Groups updates by page, in the order of their steps. */
function pagesOf(rows: readonly Metrics[]): Map<number, Metrics[]> {
  const pages = new Map<number, Metrics[]>();
  for (const row of rows) {
    const number = pageOf(row.step);
    const page = pages.get(number);
    if (page) page.push(row);
    else pages.set(number, [row]);
  }
  return pages;
}
