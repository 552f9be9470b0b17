import {
  CheckpointError,
  checkpointMetadata,
  type PolicyConfiguration,
  type PolicyState,
  readCheckpoint,
  writeCheckpoint,
} from '../../engine/shared.ts';

/** Position of a stopped warm start, after whole steps. The steps done in the stage are those of the optimiser. */
export interface WarmStartPoint {
  /** Of the initial parameters, from 0: how often it began before. */
  readonly draw: number;
  /** From 0. */
  readonly stage: number;
}

/** A warm start that was stopped. */
export interface StoppedWarmStart {
  readonly point: WarmStartPoint;
  readonly state: PolicyState;
}

/** Writes a stopped warm start as a checkpoint (writeCheckpoint) with the moments of its optimiser. @param metadata strings that go along */
export function writeStopped(
  policy: PolicyConfiguration,
  { point, state }: StoppedWarmStart,
  metadata: Readonly<Record<string, string>>,
): ArrayBuffer {
  const { parameters, firstMoment, secondMoment, steps } = state;
  const snapshot = { parameters, firstMoment, secondMoment, steps };
  return writeCheckpoint(policy, snapshot, { ...metadata, warmStart: JSON.stringify(point) });
}

/** True if a checkpoint is a stopped warm start, which is not a policy to begin with. */
export function isStopped(file: ArrayBuffer): boolean {
  return checkpointMetadata(file).warmStart !== undefined;
}

/** @throws {CheckpointError} for a damaged file, one of another policy, or one that is no stopped warm start */
export function readStopped(policy: PolicyConfiguration, file: ArrayBuffer): StoppedWarmStart {
  if (!isStopped(file)) throw new CheckpointError('the checkpoint is no warm start that was stopped');
  let parsed: Partial<WarmStartPoint> | null;
  try {
    parsed = JSON.parse(String(checkpointMetadata(file).warmStart));
  } catch {
    throw new CheckpointError('the checkpoint\'s metadata "warmStart" is not JSON');
  }
  const { draw = -1, stage = -1 } = parsed ?? {};
  if (![draw, stage].every((number) => Number.isInteger(number) && number >= 0)) {
    throw new CheckpointError('the checkpoint\'s metadata "warmStart" names no try and no stage');
  }
  return { point: { draw, stage }, state: readCheckpoint(policy, file) };
}
