export { NoWebGpuError } from '../gpu/device.ts';

/** The memory of a device is too small for what was asked for. */
export class OutOfMemoryError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OutOfMemoryError';
  }
}
