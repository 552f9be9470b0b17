// Parts of src/policy and src/objective that do not depend on a device. All engines and the training code use them.
export type { ReportLine } from '../objective/objective.ts';
export { preferenceLoss, sigmoid } from '../objective/preference.ts';
export { type Aggregation, type RatioLevel, tokenWeights } from '../objective/surrogate.ts';
export type { Sequence } from '../policy/batch.ts';
export { CheckpointError, checkpointMetadata, readCheckpoint, writeCheckpoint } from '../policy/checkpoint.ts';
export type { CriticState } from '../policy/critic.ts';
export type { AdamWStep } from '../policy/optimizer.ts';
export { stateDigest } from '../policy/parameterDigest.ts';
export type { PolicyState } from '../policy/policy.ts';
export { type PolicyConfiguration, standardPolicy } from '../policy/policyConfiguration.ts';
export type { Continuation, Generated, SamplingSettings } from '../policy/turns.ts';
export { initialParameters } from '../policy/weights.ts';
