export { NoWebGpuError } from '../gpu/device.ts';

/** The memory of a device is too small for the request. */
export class OutOfMemoryError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OutOfMemoryError';
  }
}

/** No engine runs here; the message says what is missing. */
export class NoEngineError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoEngineError';
  }
}

/** The browser has no SIMD in WebAssembly, which the exact engine needs. */
export class NoSimdError extends NoEngineError {
  constructor() {
    super(
      'This browser has no WebAssembly SIMD, which training on the processor needs. ' +
        'Chrome and Edge 91, Firefox 89, Safari 16.4 and later versions have it.',
    );
    this.name = 'NoSimdError';
  }
}
