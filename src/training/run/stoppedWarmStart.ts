import {
  CheckpointError,
  checkpointMetadata,
  type PolicyConfiguration,
  type PolicyState,
  readCheckpoint,
  writeCheckpoint,
} from '../../engine/shared.ts';

/** Position of a stopped warm start between two steps. The step count of the optimiser is the step in the stage. */
export interface WarmStartPoint {
  /** Index of the attempt, from 0; also the draw of its initial parameters. */
  readonly draw: number;
  /** Index of the stage, from 0. */
  readonly stage: number;
}

/** Stopped warm start. */
export interface StoppedWarmStart {
  readonly point: WarmStartPoint;
  readonly state: PolicyState;
}

/**
 * Writes a stopped warm start as a checkpoint (writeCheckpoint) with the moments of its optimiser.
 * @param metadata additional metadata of the checkpoint
 */
export function writeStopped(
  policy: PolicyConfiguration,
  { point, state }: StoppedWarmStart,
  metadata: Readonly<Record<string, string>>,
): ArrayBuffer {
  const { parameters, firstMoment, secondMoment, steps } = state;
  const snapshot = { parameters, firstMoment, secondMoment, steps };
  return writeCheckpoint(policy, snapshot, { ...metadata, warmStart: JSON.stringify(point) });
}

/** Returns true if a checkpoint is a stopped warm start. A run cannot start from it. */
export function isStopped(file: ArrayBuffer): boolean {
  return checkpointMetadata(file).warmStart !== undefined;
}

/**
 * Reads a stopped warm start.
 * @throws {CheckpointError} if the file is damaged, is of another policy, or is not a stopped warm start
 */
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
