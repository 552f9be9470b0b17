export { NoWebGpuError } from '../gpu/device.ts';

/** Error of a device whose memory is too small for the request. */
export class OutOfMemoryError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'OutOfMemoryError';
  }
}

/** Error if no engine can run. The message names the missing feature. */
export class NoEngineError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoEngineError';
  }
}

/** Error if the browser has no SIMD in WebAssembly, which the exact engine requires. */
export class NoSimdError extends NoEngineError {
  constructor() {
    super(
      'This browser has no WebAssembly SIMD, which training on the processor needs. ' +
        'Chrome and Edge 91, Firefox 89, Safari 16.4 and later versions have it.',
    );
    this.name = 'NoSimdError';
  }
}
