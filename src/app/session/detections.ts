import type { WatchedLines } from '../../environments/descriptor.ts';
import { type Detection, Detectors } from '../../experiments/detectors.ts';
import type { Metrics } from '../../training/data/protocol.ts';

/**
 * Events detected in the curves of a run. Each update is processed once. All updates are processed again if the run
 * returns to an earlier step.
 */
export class Detections {
  private rows: readonly Metrics[] | undefined;
  private processedCount = 0;
  private detectors = new Detectors();
  private detections: readonly Detection[] = [];

  constructor(private readonly watched: WatchedLines | undefined) {}

  /** Returns the events in the rows. @param rows list that grows only at its end; other changes require a new list */
  in(rows: readonly Metrics[]): readonly Detection[] {
    if (rows !== this.rows || rows.length < this.processedCount) {
      this.rows = rows;
      this.processedCount = 0;
      this.detectors = new Detectors(this.watched);
      this.detections = [];
    }
    for (; this.processedCount < rows.length; this.processedCount++) {
      const more = this.detectors.see(rows[this.processedCount] as Metrics);
      if (more.length > 0) this.detections = [...this.detections, ...more];
    }
    return this.detections;
  }
}
