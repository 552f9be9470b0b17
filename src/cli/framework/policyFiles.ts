import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CheckpointError,
  checkpointMetadata,
  initialParameters,
  type PolicyConfiguration,
  type PolicyState,
  readCheckpoint,
  writeCheckpoint,
} from '../../engine/shared.ts';
import type { Reliability } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { defaults, type ParameterValues } from '../../parameters/parameters.ts';
import { NotTextError, utf8Text } from '../../rollouts/jsonLines.ts';
import { readRunFile } from '../../storage/runFile.ts';
import { StorageError } from '../../storage/runStore.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { rewardModelName, warmStartName, worldFlags } from '../../training/data/worlds.ts';
import { readRewardModel, type SavedRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { isStopped, readStopped, type StoppedWarmStart } from '../../training/run/warmStart.ts';
import { reason, UsageError } from './errors.ts';
import type { NamedFile } from './inputs.ts';
import { PROGRAM } from './installation.ts';

/** Properties that a policy must match. */
export interface World {
  readonly environment: EnvironmentName;
  readonly settings: ParameterValues;
  /** Shape of the policy in this world. */
  readonly policy: PolicyConfiguration;
}

/** Policy read from a file. */
export interface LoadedPolicy {
  readonly state: PolicyState;
  /** SHA-256 of the file, hexadecimal. */
  readonly digest: string;
  readonly file: string;
}

/** Returns the path of the warm start of a world. */
export function warmStartFile(settings: ParameterValues, environment: EnvironmentName = DEFAULT_ENVIRONMENT): string {
  return checkpointFile(environment, warmStartName(environment, settings));
}

function checkpointFile(environment: EnvironmentName, name: string): string {
  const folder = fileURLToPath(new URL(`../../environments/${environment}/checkpoints/`, import.meta.url));
  return `${folder}${name}.safetensors`;
}

/** Returns the path of a reward model of a world. */
export function rewardModelFile(
  { settings, environment }: Pick<World, 'settings' | 'environment'>,
  reliability: Reliability,
): string {
  return checkpointFile(environment, rewardModelName(environment, settings, reliability));
}

/** Reads the shipped reward model of a world. Returns undefined if it does not exist. */
export function readRewardModelFile(
  world: Pick<World, 'settings' | 'environment'>,
  reliability: Reliability,
): ArrayBuffer | undefined {
  const file = rewardModelFile(world, reliability);
  return existsSync(file) ? toArrayBuffer(readFileSync(file)) : undefined;
}

/**
 * Reads the content of a file with a reward model.
 * @throws {UsageError} if the file cannot be read or its shape does not match
 */
export function rewardModelIn({ policy }: Pick<World, 'policy'>, file: string, flag: string): ArrayBuffer {
  const data = toArrayBuffer(readInput(flag, file));
  fitting(file, () => readRewardModel(policy, data));
  return data;
}

/**
 * Reads the finished or stopped reward model of `--resume`.
 * @throws {UsageError} if the file cannot be read or its shape does not match
 */
export function loadRewardModel(world: Pick<World, 'policy'>, file: string): SavedRewardModel {
  return readRewardModel(world.policy, rewardModelIn(world, file, 'resume'));
}

/**
 * Reads the policy that a run starts from: a checkpoint, a saved run, or the warm start of the world.
 * @param file value of `--checkpoint`; undefined for the warm start
 * @throws {UsageError} if the policy cannot be read, or if it does not exist, with the command that creates it
 */
export function loadStart(world: World, file: string | undefined): LoadedPolicy {
  if (file === undefined && ENVIRONMENTS[world.environment].warmStart === 'none') return initialPolicy(world);
  const path = file ?? warmStartFile(world.settings, world.environment);
  if (!existsSync(path)) throw new UsageError(missing(world, file));
  const data = readInput('checkpoint', path);
  const digest = createHash('sha256').update(data).digest('hex');
  const run = isRunFile(data) ? readRun(data, path) : undefined;
  const checkpoint = run?.checkpoint ?? toArrayBuffer(data);
  try {
    return { state: readPolicy(world.policy, checkpoint, path), digest, file: show(path) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      error.message + describeDifference(run?.configuration.settings ?? parseSettings(checkpoint), world),
    );
  }
}

/** Returns true for a run that `train --save` wrote, which is JSON. A checkpoint begins with the length of a header. */
function isRunFile(data: Buffer): boolean {
  return /^(\xef\xbb\xbf)?\{/.test(data.toString('latin1', 0, 4));
}

/**
 * Returns the settings in which the world of a policy differs from the world of the run, as the end of a message.
 * Returns an empty string if the worlds do not differ.
 */
function describeDifference(saved: ParameterValues | undefined, { environment, settings }: World): string {
  const { afterWarmStart, settings: table } = ENVIRONMENTS[environment];
  const values = { ...defaults(table), ...saved };
  const differing = saved ? Object.keys(settings).filter((name) => values[name] !== settings[name]) : [];
  const flags = differing.filter((name) => !afterWarmStart.includes(name)).map((name) => `--${name} ${values[name]}`);
  return flags.length > 0 ? `; it was made with ${flags.join(' ')}` : '';
}

/** Returns the settings in the metadata of a checkpoint, or undefined if it has no settings. */
function parseSettings(checkpoint: ArrayBuffer): ParameterValues | undefined {
  try {
    return JSON.parse(checkpointMetadata(checkpoint).settings as string);
  } catch {
    return undefined;
  }
}

/**
 * Returns the policy at the start of a run in an environment without a warm start. Its weights depend on the seed only.
 */
function initialPolicy({ policy, settings }: World): LoadedPolicy {
  const parameters = initialParameters(policy, settings.warmSeed as number);
  const state = roundTripPolicy(policy, parameters);
  const digest = createHash('sha256').update(parameters).digest('hex');
  return { state, digest, file: 'the initial weights' };
}

/**
 * Writes a policy as a checkpoint and reads it again. This removes device data after the last tensor, which has no
 * effect on the policy.
 */
export function roundTripPolicy(shape: PolicyConfiguration, parameters: Float32Array): PolicyState {
  return readCheckpoint(shape, writeCheckpoint(shape, { parameters }));
}

/**
 * Reads the policy in a checkpoint.
 * @param file file of the checkpoint, for messages
 * @throws {UsageError} with the file if the shape of the policy does not match
 */
export function readPolicy(shape: PolicyConfiguration, checkpoint: ArrayBuffer, file: string): PolicyState {
  return fitting(file, () => {
    if (isStopped(checkpoint)) {
      throw new CheckpointError('this warm start is not finished; continue it with warm-start --resume');
    }
    return readCheckpoint(shape, checkpoint);
  });
}

/**
 * Reads the stopped warm start of `--resume`.
 * @throws {UsageError} if the file cannot be read, its shape does not match, or it belongs to another world
 */
export function stoppedWarmStart(
  { policy, metadata }: Pick<World, 'policy'> & { readonly metadata: Readonly<Record<string, string>> },
  file: string,
): StoppedWarmStart {
  const bytes = readInput('resume', file);
  if (isRunFile(bytes))
    throw new UsageError(`--resume: ${file} is a run of train --save; warm-start resumes stopped warm starts only`);
  const data = toArrayBuffer(bytes);
  return fitting(file, () => {
    const stopped = readStopped(policy, data);
    const stored = checkpointMetadata(data);
    const mismatch = ['environment', 'settings', 'stageSteps'].find((name) => stored[name] !== metadata[name]);
    if (mismatch) {
      throw new CheckpointError(
        `it was made with ${mismatch} ${stored[mismatch]}, but the command has ${metadata[mismatch]}`,
      );
    }
    return stopped;
  });
}

/** Calls `read` and adds the name of the file to the message of a CheckpointError. */
function fitting<Result>(file: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw new UsageError(`${show(file)}: ${error.message}`);
  }
}

function missing({ environment, settings }: World, file: string | undefined): string {
  const set = worldFlags({ environment, settings });
  if (file === undefined) {
    const path = show(warmStartFile(settings, environment));
    return `there is no warm start of this world (${path}); make it with\n  ${PROGRAM} warm-start${set}`;
  }
  return `--checkpoint: there is no file ${file}; make it with\n  ${PROGRAM} warm-start${set} --out ${file}`;
}

/**
 * Reads a saved run.
 * @throws {UsageError} with the error in the file
 */
export function loadRun(file: string): SavedRun {
  if (!existsSync(file)) throw new UsageError(`--resume: there is no file ${file}; \`train --save ${file}\` makes one`);
  return readRun(readInput('resume', file), file);
}

function readRun(data: Buffer, file: string): SavedRun {
  try {
    return readRunFile(utf8Text(data));
  } catch (error) {
    if (!(error instanceof StorageError || error instanceof NotTextError)) throw error;
    throw new UsageError(`${show(file)} is not a saved run: ${error.message}`);
  }
}

function readInput(flag: string, file: string): Buffer {
  if (!existsSync(file)) throw new UsageError(`--${flag}: there is no file ${file}`);
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`--${flag}: ${file} cannot be read (${reason(error)})`);
  }
}

function toArrayBuffer(data: Buffer): ArrayBuffer {
  return new Uint8Array(data).buffer;
}

/** Returns the files that a run reads and the command line does not name. An output must not be one of them. */
export function filesRead(
  { checkpoint, resume }: { readonly checkpoint?: string | undefined; readonly resume?: string | undefined },
  settings: ParameterValues,
  environment: EnvironmentName,
): readonly NamedFile[] {
  if ((checkpoint ?? resume) !== undefined || ENVIRONMENTS[environment].warmStart === 'none') return [];
  return [{ file: warmStartFile(settings, environment) }];
}

/** Returns a path relative to the current folder, or an absolute path if it is outside of that folder. */
export function show(path: string): string {
  const near = relative(process.cwd(), resolve(path));
  return near.startsWith('..') ? resolve(path) : near || '.';
}
