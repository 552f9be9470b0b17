import { type EngineName, WGSL } from '../../src/engine/engineName.ts';

/** Device of scripted runs. It only waits instead of computing, and a test can lose or poison it. */
export class ScriptedGpu {
  readonly name = 'Scripted device';
  readonly software = true;
  /** True after a call of `poison`: all losses are then NaN. */
  isPoisoned = false;
  private isLost = false;
  private endOfDevice: (reason: string) => void = () => {};
  readonly lost = new Promise<string>((resolve) => {
    this.endOfDevice = resolve;
  });
  /**
   * @param duration factor of all times; 0 in tests without a page
   * @param engine name of the engine that the device reports
   */
  constructor(
    private readonly duration = 1,
    readonly engine: EngineName = WGSL,
  ) {}

  /**
   * Waits for the time of work on a device.
   * @throws {Error} if the device is lost meanwhile
   */
  async work(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.duration * milliseconds));
    if (this.isLost) throw new Error('the device is lost');
  }

  async compileAhead(): Promise<void> {}

  lose(): void {
    this.isLost = true;
    this.endOfDevice('unknown');
  }

  poison(): void {
    this.isPoisoned = true;
  }

  readError(): undefined {
    return undefined;
  }

  allocate<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  destroy(): void {
    this.lose();
  }
}
