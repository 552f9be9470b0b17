import type { Gpu } from '../../gpu/device.ts';

/** One device for several runs: opened for the first that wants it, opened again when it was lost, closed by the last. */
export class SharedDevice {
  private opening: Promise<Gpu> | undefined;
  /** What came of it, until it is lost or closed. */
  private current: Gpu | undefined;
  /** How often each device was handed out and not given back. */
  private readonly held = new Map<Gpu, number>();

  constructor(private readonly openGpu: () => Promise<Gpu>) {}

  /** The device. @throws what keeps it from being opened */
  async open(): Promise<Gpu> {
    this.opening ??= this.opened();
    const gpu = await this.opening;
    this.held.set(gpu, (this.held.get(gpu) ?? 0) + 1);
    return gpu;
  }

  /** Gives the device back; it is closed when nobody has it any more. */
  close(gpu: Gpu): void {
    const left = (this.held.get(gpu) ?? 1) - 1;
    this.held.set(gpu, left);
    if (left > 0) return;
    this.held.delete(gpu);
    this.forget(gpu);
    // One that is lost already does not mind; one that works would keep its memory.
    gpu.device.destroy();
  }

  private opened(): Promise<Gpu> {
    const opening = this.openGpu().then((gpu) => {
      this.current = gpu;
      // Before anybody who was handed it out hears of it: they open the next one at once.
      gpu.lost.then(() => this.forget(gpu));
      return gpu;
    });
    opening.catch(() => {
      if (this.opening === opening) this.opening = undefined;
    });
    return opening;
  }

  private forget(gpu: Gpu): void {
    if (this.current !== gpu) return;
    this.current = undefined;
    this.opening = undefined;
  }
}
