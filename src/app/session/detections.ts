import type { WatchedLines } from '../../environments/descriptor.ts';
import { type Detection, Detectors } from '../../experiments/detectors.ts';
import type { Metrics } from '../../training/data/protocol.ts';

/**
 * Events of the run that a curve shows. They are detected once an update, and again from the start if the curve
 * returned to an earlier step.
 */
export class Detections {
  private rows: readonly Metrics[] | undefined;
  private seen = 0;
  private detectors = new Detectors();
  private found: readonly Detection[] = [];

  constructor(private readonly watched: WatchedLines | undefined) {}

  /** @param rows grows at its end; another list where anything else of it changed */
  in(rows: readonly Metrics[]): readonly Detection[] {
    if (rows !== this.rows || rows.length < this.seen) {
      this.rows = rows;
      this.seen = 0;
      this.detectors = new Detectors(this.watched);
      this.found = [];
    }
    for (; this.seen < rows.length; this.seen++) {
      const more = this.detectors.see(rows[this.seen] as Metrics);
      if (more.length > 0) this.found = [...this.found, ...more];
    }
    return this.found;
  }
}
