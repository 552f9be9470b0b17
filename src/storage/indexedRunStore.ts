import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { SavedRun } from '../training/protocol.ts';
import { asStorageError, type RunStore, type RunSummary, StorageError } from './runStore.ts';
import { checkSavedRun } from './savedRun.ts';

/** Summaries and contents are kept apart, so that a list need not read megabytes of weights. */
interface Schema extends DBSchema {
  summaries: { key: string; value: RunSummary };
  runs: { key: string; value: SavedRun };
}

const NAME = 'turnwise';
const VERSION = 1;

/** A browser that neither opens nor refuses must not hold up the page. */
const OPEN_MS = 2000;

/**
 * Opens the runs of this device.
 * @throws {StorageError} 'refused' where the browser does not allow it (private windows, sandboxed frames).
 */
export async function openRunStore(): Promise<RunStore> {
  try {
    if (typeof indexedDB === 'undefined') throw new StorageError('refused', 'this browser has no IndexedDB');
    return new IndexedRunStore(await inTime(open()));
  } catch (error) {
    throw new StorageError('refused', asStorageError(error).message);
  }
}

function open(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(NAME, VERSION, {
    upgrade(database) {
      database.createObjectStore('summaries', { keyPath: 'id' });
      database.createObjectStore('runs');
    },
    // Another tab with a newer page wants to change the layout: let it.
    blocking(_current, _blocked, event) {
      (event.target as IDBDatabase).close();
    },
  });
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  const late = new Promise<T>((_, reject) => {
    setTimeout(() => reject(new StorageError('refused', 'the browser does not answer')), OPEN_MS);
  });
  return Promise.race([promise, late]);
}

class IndexedRunStore implements RunStore {
  constructor(private readonly database: IDBPDatabase<Schema>) {}

  async list(): Promise<RunSummary[]> {
    const summaries = await this.guard(() => this.database.getAll('summaries'));
    return summaries.sort((a, b) => b.savedAt - a.savedAt);
  }

  async load(id: string): Promise<SavedRun> {
    const saved = await this.guard(() => this.database.get('runs', id));
    if (!saved) throw new StorageError('corrupt', 'its contents are missing');
    return checkSavedRun(saved);
  }

  async save(summary: RunSummary, saved: SavedRun): Promise<void> {
    await this.guard(async () => {
      // One transaction: a failure leaves both stores as they were.
      const transaction = this.database.transaction(['summaries', 'runs'], 'readwrite');
      const writes = [
        transaction.objectStore('runs').put(saved, summary.id),
        transaction.objectStore('summaries').put(summary),
        transaction.done,
      ];
      await Promise.all(writes);
    });
  }

  async remove(id: string): Promise<void> {
    await this.guard(async () => {
      const transaction = this.database.transaction(['summaries', 'runs'], 'readwrite');
      const removals = [
        transaction.objectStore('runs').delete(id),
        transaction.objectStore('summaries').delete(id),
        transaction.done,
      ];
      await Promise.all(removals);
    });
  }

  private async guard<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw asStorageError(error);
    }
  }
}
