import type { DownsampledUpdates, Metrics, SavedRun } from '../training/data/protocol.ts';

/** Capacity of a curve. */
export interface CurveCapacity {
  /** Number of updates above which a curve is downsampled. */
  readonly capacity: number;
  /** Number of last updates that are always complete. */
  readonly recent: number;
  /** Maximum number of older updates that remain. */
  readonly old: number;
}

/** Capacity of the curve in a chart. */
const DISPLAY_CAPACITY: CurveCapacity = { capacity: 4096, recent: 1024, old: 2048 };

/**
 * Curve of a run in bounded memory. The last updates are complete. Of the older updates, one in 2, 4, 8, ... remains:
 * the first that has held-out metrics, otherwise the first. The remaining updates are unchanged and not averaged. So
 * repeated downsampling equals one downsampling, and equal updates always result in equal curves.
 */
export class Curve {
  /**
   * Updates in the order of their steps. Any change other than an appended update creates a new list, so that readers
   * can cache results by list.
   */
  rows: readonly Metrics[] = [];
  /** Omitted updates. undefined if the rows are complete. */
  downsampled: DownsampledUpdates | undefined;

  constructor(private readonly capacity = DISPLAY_CAPACITY) {}

  /** Returns the curve of a list of updates, which may already be downsampled. */
  static of({ metrics, downsampled }: Pick<SavedRun, 'metrics' | 'downsampled'>, curve = new Curve()): Curve {
    for (const row of metrics) curve.push(row);
    curve.downsampled = mergeDownsampling(curve.downsampled, downsampled);
    return curve;
  }

  /**
   * Adds an update. If its step is not above the last step, the run returned to an earlier step. The update then
   * replaces the updates from its step on.
   */
  push(row: Metrics): void {
    const last = this.rows.at(-1);
    if (last && row.step <= last.step) this.cut(row.step);
    (this.rows as Metrics[]).push(row);
    if (this.rows.length > this.capacity.capacity) this.thin();
  }

  /** Removes the updates from a step on. */
  cut(step: number): void {
    this.rows = this.rows.filter((row) => row.step < step);
    if (this.downsampled && this.downsampled.before > step) this.downsampled = { ...this.downsampled, before: step };
  }

  /** Removes the updates before a step, which another curve has. */
  dropBefore(step: number): void {
    this.rows = this.rows.filter((row) => row.step >= step);
    if (this.downsampled && this.downsampled.before <= step) this.downsampled = undefined;
  }

  /** Returns an independent copy. */
  copy(): Curve {
    const copy = new Curve(this.capacity);
    copy.rows = [...this.rows];
    copy.downsampled = this.downsampled;
    return copy;
  }

  private thin(): void {
    const { recent, old: oldCapacity } = this.capacity;
    const last = this.rows.at(-1)?.step ?? 0;
    let every = this.downsampled?.every ?? 1;
    for (;;) {
      const before = Math.max(this.downsampled?.before ?? 0, every * Math.floor((last + 1 - recent) / every));
      const from = this.rows.findIndex((row) => row.step >= before);
      const old = sampleRows(this.rows.slice(0, from), every);
      if (old.length <= oldCapacity) {
        this.rows = old.concat(this.rows.slice(from));
        this.downsampled = { every, before };
        return;
      }
      every *= 2;
    }
  }
}

/** Returns the omitted updates if either curve may have omitted updates. */
export function mergeDownsampling(
  first: DownsampledUpdates | undefined,
  second: DownsampledUpdates | undefined,
): DownsampledUpdates | undefined {
  if (!first || !second) return first ?? second;
  return { every: Math.max(first.every, second.every), before: Math.max(first.before, second.before) };
}

/** Returns one update per `every` steps. */
function sampleRows(rows: readonly Metrics[], every: number): Metrics[] {
  const sampled: Metrics[] = [];
  for (const row of rows) {
    const before = sampled.at(-1);
    if (!before || Math.floor(before.step / every) !== Math.floor(row.step / every)) sampled.push(row);
    else if (before.heldOut === null && row.heldOut !== null) sampled[sampled.length - 1] = row;
  }
  return sampled;
}

/** Capacity of the curve in a file. A string in a browser or in Node has room for about 500,000 updates. */
const FILE_CAPACITY = { capacity: 300_000, recent: 200_000, old: 100_000 };

/** Returns a curve with the capacity of a run file. */
export function fileCurve(): Curve {
  return new Curve(FILE_CAPACITY);
}
