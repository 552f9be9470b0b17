import { Curve } from '../../../src/storage/curve.ts';
import {
  type Basis,
  checkBasis,
  type LoadedRun,
  type RunStore,
  type RunSummary,
  StorageError,
} from '../../../src/storage/runStore.ts';
import { checkState } from '../../../src/storage/savedRun.ts';
import type { Metrics, SavedRun } from '../../../src/training/data/protocol.ts';

/** Saved run in the store: its summary, its state and all its updates. */
export interface MemoryRun {
  summary: RunSummary;
  saved: SavedRun;
}

/** Run store in memory. A test controls its failures and the time of its answers. */
export class MemoryRunStore implements RunStore {
  /** Error that all methods throw while it is set. */
  failure: unknown;
  /** Function that all methods wait for. */
  gate: () => Promise<void> = async () => {};
  /** Number of updates in each save. */
  readonly savedRows: number[] = [];
  readonly runs = new Map<string, MemoryRun>();

  async list(): Promise<RunSummary[]> {
    await this.answer();
    return [...this.runs.values()].map(({ summary }) => summary).sort((a, b) => b.savedAt - a.savedAt);
  }

  async load(id: string): Promise<LoadedRun> {
    await this.answer();
    const entry = this.runs.get(id);
    if (!entry) throw new StorageError('removed', 'it was removed');
    const { summary, saved } = entry;
    const { downsampled: _, ...state } = checkState(saved);
    const downsampled = summary.downsampled && { downsampled: summary.downsampled };
    return {
      summary,
      saved: { ...state, metrics: saved.metrics.slice(-32) },
      curve: Curve.of({ ...saved, ...downsampled }),
    };
  }

  async *rows(id: string, before: number): AsyncIterable<readonly Metrics[]> {
    await this.answer();
    yield this.runs.get(id)?.saved.metrics.filter(({ step }) => step < before) ?? [];
  }

  async save(summary: RunSummary, saved: SavedRun, basis: Basis): Promise<void> {
    await this.answer();
    checkBasis(this.runs.get(summary.id)?.summary, basis);
    this.savedRows.push(saved.metrics.length);
    const first = saved.metrics[0]?.step ?? saved.step;
    const shared = this.runs.get(basis.sharedWith ?? summary.id);
    if (basis.sharedWith !== undefined && !shared) throw new StorageError('removed', 'it was removed');
    const before = shared?.saved.metrics.filter(({ step }) => step < first) ?? [];
    this.runs.set(summary.id, { summary, saved: { ...saved, metrics: [...before, ...saved.metrics] } });
  }

  async remove(id: string): Promise<void> {
    await this.answer();
    this.runs.delete(id);
  }

  private async answer(): Promise<void> {
    await this.gate();
    if (this.failure) throw this.failure;
  }
}
