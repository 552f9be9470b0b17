import type { WatchedLines } from '../../environments/descriptor.ts';
import { type Detection, Detectors } from '../../experiments/detectors.ts';
import type { Metrics } from '../../training/data/protocol.ts';

/**
 * Events of the run that a curve shows. They are detected once an update, and again from the start if the curve
 * returned to an earlier step.
 */
export class Detections {
  private rows: readonly Metrics[] | undefined;
  private processedCount = 0;
  private detectors = new Detectors();
  private detections: readonly Detection[] = [];

  constructor(private readonly watched: WatchedLines | undefined) {}

  /** @param rows grows at its end; another list where anything else of it changed */
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
