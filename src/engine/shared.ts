// Parts of src/policy and src/objective that do not depend on a device, and the errors of engines and devices. All engines and
// the training code use them.
export { NoWebGpuError } from '../gpu/device.ts';
export type { ReportLine } from '../objective/objective.ts';
export { preferenceLoss, sigmoid } from '../objective/objective.ts';
export { type Aggregation, type RatioLevel, tokenWeights } from '../objective/surrogate.ts';
export type { Sequence } from '../policy/batch.ts';
export {
  CheckpointError,
  checkpointMetadata,
  readCheckpoint,
  stateDigest,
  writeCheckpoint,
} from '../policy/checkpoint.ts';
export type { CriticState } from '../policy/critic.ts';
export type { AdamWStep } from '../policy/optimizer.ts';
export type { PolicyState } from '../policy/policy.ts';
export type { Continuation, Generated, SamplingSettings } from '../policy/turns.ts';
export { initialParameters, type PolicyConfiguration, standardPolicy } from '../policy/weights.ts';

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
