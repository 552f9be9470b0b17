/** Device of scripted runs: it computes nothing, takes time, and can be lost or poisoned by a test. */
export class ScriptedGpu {
  readonly name = 'Scripted device';
  readonly software = true;
  /** True after `poison`: every loss is NaN. */
  isPoisoned = false;
  private isLost = false;
  private endOfDevice: (info: { reason: string }) => void = () => {};
  readonly lost = new Promise<{ reason: string }>((resolve) => {
    this.endOfDevice = resolve;
  });
  readonly device = {
    destroy: () => this.lose(),
    pushErrorScope: () => {},
    popErrorScope: async () => null,
  };

  /** @param duration factor of all times; 0 in tests without a page */
  constructor(private readonly duration = 1) {}

  /** Waits as work on a device does. @throws {Error} if the device is lost meanwhile */
  async work(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.duration * milliseconds));
    if (this.isLost) throw new Error('the device is lost');
  }

  lose(): void {
    this.isLost = true;
    this.endOfDevice({ reason: 'unknown' });
  }

  poison(): void {
    this.isPoisoned = true;
  }

  takeError(): undefined {
    return undefined;
  }
}
