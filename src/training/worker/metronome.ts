/** Updates begin no faster than a pace. One that comes late does not make the next ones early. */
export class Metronome {
  /** Milliseconds between two beginnings. */
  private interval = 0;
  /** When the last update began, or should have. */
  private begun = Number.NEGATIVE_INFINITY;

  /** @param updatesPerSecond null: as fast as it goes */
  set(updatesPerSecond: number | null): void {
    this.interval = updatesPerSecond === null ? 0 : 1000 / updatesPerSecond;
  }

  /** An update begins. @param now milliseconds of some clock */
  beat(now: number): void {
    const due = this.begun + this.interval;
    this.begun = now < due + this.interval ? due : now;
  }

  /** Milliseconds until the next update may begin; 0 or less: it may. */
  left(now: number): number {
    return this.interval === 0 ? 0 : this.begun + this.interval - now;
  }
}
