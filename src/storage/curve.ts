import type { DownsampledUpdates, Metrics, SavedRun } from '../training/data/protocol.ts';

/** Capacity of a curve. */
export interface CurveCapacity {
  /** Number of updates above which a curve is downsampled. */
  readonly capacity: number;
  /** The last updates, which stay whole however long the run is. */
  readonly recent: number;
  /** Maximum number of updates that remain of those before. */
  readonly old: number;
}

/** Part of a run that a chart shows. */
const DISPLAY_CAPACITY: CurveCapacity = { capacity: 4096, recent: 1024, old: 2048 };

/**
 * The curve of a run in bounded memory: the last updates whole, of the older ones one in 2, 4, 8, ... The update that
 * remains of a stretch is an update as it was and no mean: the first that was measured on held-out tasks, else the
 * first. So downsampling twice is the same as downsampling once, and the same updates always give the same curve.
 */
export class Curve {
  /** In the order of their steps. Another list whenever anything but its end changes, so that readers may remember it. */
  rows: readonly Metrics[] = [];
  /** Updates that are left out; undefined while the rows are whole. */
  downsampled: DownsampledUpdates | undefined;

  constructor(private readonly capacity = DISPLAY_CAPACITY) {}

  /** Returns the curve of a list of updates that may be downsampled already. */
  static of({ metrics, downsampled }: Pick<SavedRun, 'metrics' | 'downsampled'>, curve = new Curve()): Curve {
    for (const row of metrics) curve.push(row);
    curve.downsampled = mergeDownsampling(curve.downsampled, downsampled);
    return curve;
  }

  /**
   * Adds an update. An update that was done before replaces the updates that followed it: the run returned to an
   * earlier step.
   */
  push(row: Metrics): void {
    const last = this.rows.at(-1);
    if (last && row.step <= last.step) this.cut(row.step);
    (this.rows as Metrics[]).push(row);
    if (this.rows.length > this.capacity.capacity) this.thin();
  }

  /** Drops the updates from a step on. */
  cut(step: number): void {
    this.rows = this.rows.filter((row) => row.step < step);
    if (this.downsampled && this.downsampled.before > step) this.downsampled = { ...this.downsampled, before: step };
  }

  /** Drops the updates before a step, which somebody else has now. */
  dropBefore(step: number): void {
    this.rows = this.rows.filter((row) => row.step >= step);
    if (this.downsampled && this.downsampled.before <= step) this.downsampled = undefined;
  }

  /** The same curve, growing on its own. */
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

/** Returns the updates that are left out, if either curve may have left out updates. */
export function mergeDownsampling(
  first: DownsampledUpdates | undefined,
  second: DownsampledUpdates | undefined,
): DownsampledUpdates | undefined {
  if (!first || !second) return first ?? second;
  return { every: Math.max(first.every, second.every), before: Math.max(first.before, second.before) };
}

/** One update of each `every` steps. */
function sampleRows(rows: readonly Metrics[], every: number): Metrics[] {
  const sampled: Metrics[] = [];
  for (const row of rows) {
    const before = sampled.at(-1);
    if (!before || Math.floor(before.step / every) !== Math.floor(row.step / every)) sampled.push(row);
    else if (before.heldOut === null && row.heldOut !== null) sampled[sampled.length - 1] = row;
  }
  return sampled;
}

/** A text of a browser or of Node has room for some 500,000 updates; a run that has more is downsampled in its file. */
const FILE_CAPACITY = { capacity: 300_000, recent: 200_000, old: 100_000 };

/** A curve with as many updates as a file of a run has room for. */
export function fileCurve(): Curve {
  return new Curve(FILE_CAPACITY);
}
