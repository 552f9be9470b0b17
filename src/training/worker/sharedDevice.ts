import type { EngineDevice } from '../../engine/engine.ts';

/** One device for several runs: opened for the first that wants it, opened again when it was lost, closed by the last. */
export class SharedDevice {
  private opening: Promise<EngineDevice> | undefined;
  /** What came of it, until it is lost or closed. */
  private current: EngineDevice | undefined;
  /** How often each device was handed out and not given back. */
  private readonly held = new Map<EngineDevice, number>();

  constructor(private readonly openDevice: () => Promise<EngineDevice>) {}

  /** The device. @throws what keeps it from being opened */
  async open(): Promise<EngineDevice> {
    this.opening ??= this.opened();
    const device = await this.opening;
    this.held.set(device, (this.held.get(device) ?? 0) + 1);
    return device;
  }

  /** Gives the device back; it is closed when nobody has it any more. */
  close(device: EngineDevice): void {
    const left = (this.held.get(device) ?? 1) - 1;
    this.held.set(device, left);
    if (left > 0) return;
    this.held.delete(device);
    this.forget(device);
    // One that is lost already does not mind; one that works would keep its memory.
    device.destroy();
  }

  private opened(): Promise<EngineDevice> {
    const opening = this.openDevice().then((device) => {
      this.current = device;
      // Before anybody who was handed it out hears of it: they open the next one at once.
      device.lost.then(() => this.forget(device));
      return device;
    });
    opening.catch(() => {
      if (this.opening === opening) this.opening = undefined;
    });
    return opening;
  }

  private forget(device: EngineDevice): void {
    if (this.current !== device) return;
    this.current = undefined;
    this.opening = undefined;
  }
}
