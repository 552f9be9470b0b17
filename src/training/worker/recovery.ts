import type { EngineDevice } from '../../engine/engine.ts';
import { type EngineName, isExact } from '../data/configuration.ts';

/** Functions that a session needs from its host to open a device. */
export interface DeviceHost {
  /** Opens a device for an engine; without a name, for the best one. @throws {NoEngineError} where nothing can train */
  openDevice(engine?: EngineName): Promise<EngineDevice>;
  /** Gives a device up; destroys it unless others have it too. */
  closeDevice?(device: EngineDevice): void;
  /** Waits between tries to open a lost device again. */
  sleep(milliseconds: number): Promise<void>;
}

/** A lost device is opened again so many times without progress between before the run stops. */
const MAX_RECOVERIES = 3;
/** Milliseconds before the second try to open a device, twice as many before the third. */
const RECOVERY_MS = 500;
/**
 * Milliseconds that the news of a lost device may take. What waits for the device and `lost` itself are settled in no
 * particular order, and browsers settle them in different tasks; a device that is there costs a failure this wait.
 */
const NEWS_MS = 100;
/** The same after an error of the browser's own, as reading back from a lost device gives: on a busy machine `lost` comes late. */
const LATE_NEWS_MS = 3000;

/** The device was lost and could not be had back. */
export class DeviceLostError extends Error {
  constructor(reason: unknown) {
    const why = reason === undefined ? '' : ` (${reason instanceof Error ? reason.message : String(reason)})`;
    super(`The GPU device was lost and could not be brought back in ${MAX_RECOVERIES} tries${why}.`);
    this.name = 'DeviceLostError';
  }
}

/** The device of a session: opened on request, and opened again, a few times, if it is lost. */
export class Recovery {
  private open: EngineDevice | undefined;
  private tries = 0;
  /** Most updates of the run whose metrics arrived. */
  private furthest = 0;

  /** @param lost called for every lost device, also for a device that was given up */
  constructor(
    private readonly host: DeviceHost,
    private readonly lost: (device: EngineDevice) => void,
  ) {}

  /** The device, while there is one. */
  get current(): EngineDevice | undefined {
    return this.open;
  }

  /**
   * Returns the open device of an engine, and opens it first if necessary.
   * @param engine without a name, that of the open device
   * @throws {NoEngineError}
   */
  async device(engine?: EngineName): Promise<EngineDevice> {
    if (this.open && engine !== undefined && isExact(this.open.engine) !== isExact(engine)) this.drop();
    if (!this.open) this.open = await this.opened(engine);
    return this.open;
  }

  /** Opens the device with the given function if no device is open. */
  async ahead(
    engine: EngineName | undefined,
    open: (create: () => Promise<EngineDevice>) => Promise<EngineDevice | undefined>,
  ): Promise<void> {
    if (!this.open) this.open = await open(() => this.opened(engine));
  }

  /**
   * True if the device is lost, which is a possible cause of failed work.
   * @param error of the work
   */
  async isLost(error: unknown): Promise<boolean> {
    if (!this.open) return false;
    const news = this.open.lost.then(() => true);
    return Promise.race([
      news,
      this.host.sleep(error instanceof DOMException ? LATE_NEWS_MS : NEWS_MS).then(() => false),
    ]);
  }

  /** Gives the device up; the next device is opened on request. */
  drop(): void {
    const { open } = this;
    this.open = undefined;
    if (!open) return;
    if (this.host.closeDevice) this.host.closeDevice(open);
    // One that is lost already does not mind; one that works would keep its memory.
    else open.destroy();
  }

  /** A run begins: what was tried for the one before does not count. */
  begin(): void {
    this.tries = 0;
    this.furthest = 0;
  }

  /**
   * Records that the metrics of an update arrived. A device that makes more progress than all devices before it gets
   * all its tries again. A device that fails every time at the same point does not.
   * @param done updates, this one included
   */
  arrived(done: number): void {
    if (done <= this.furthest) return;
    this.furthest = done;
    this.tries = 0;
  }

  /**
   * Gives the lost device up and waits as long as it is wise before the next is opened.
   * @param reason what went wrong with the last try
   * @throws {DeviceLostError} where it was tried often enough
   */
  async next(reason?: unknown): Promise<void> {
    this.drop();
    if (this.tries === MAX_RECOVERIES) throw new DeviceLostError(reason);
    await this.host.sleep(RECOVERY_MS * this.tries++);
  }

  private async opened(engine?: EngineName): Promise<EngineDevice> {
    const device = await this.host.openDevice(engine);
    device.lost.then(() => this.lost(device));
    return device;
  }
}
