import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EngineDevice } from '../../engine/engine.ts';
import { type PolicyState, writeCheckpoint } from '../../engine/shared.ts';
import type { AnyEnvironment, Reliability, Timing, WarmStartStage } from '../../environments/environment.ts';
import type { WarmStart } from '../../experiments/compare/comparison.ts';
import { type ComparisonPlan, settingsOf } from '../../experiments/compare/findings.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { defaultConfiguration } from '../../training/data/configurationTables.ts';
import type { WarmStartProgress } from '../../training/data/protocol.ts';
import { rewardModelName, warmStartName } from '../../training/data/worlds.ts';
import type { Scored } from '../../training/rewardModel/pairs.ts';
import {
  planOf,
  type RewardModelPlan,
  type SavedRewardModel,
  writeRewardModel,
} from '../../training/rewardModel/rewardModelFile.ts';
import {
  type ModelHooks,
  scoredTurns,
  type TrainedModel,
  trainedOnTurns,
} from '../../training/rewardModel/trainRewardModel.ts';
import { Trainer } from '../../training/run/trainer.ts';
import type { StoppedWarmStart, WarmStartPoint } from '../../training/run/warmStart.ts';
import { Interrupted, reason } from '../framework/errors.ts';
import { codeOf } from '../framework/installation.ts';
import { loadStart, readPolicy, rewardModelFile, roundTripPolicy, warmStartFile } from '../framework/policyFiles.ts';
import { Progress, type Terminal, withStoppableProgress } from '../framework/terminal.ts';
import { type OpenWorld, openWorld } from '../framework/worldRuns.ts';

/**
 * Loads the policy that all runs start from.
 * @throws {UsageError} if the policy does not exist or its shape does not match the world
 */
export async function sharedStart({ environment, settings }: ComparisonPlan, checkpoint?: string): Promise<WarmStart> {
  const opened = await openWorld({ environment, settings });
  try {
    return loadStart(opened.world, checkpoint);
  } finally {
    opened.close();
  }
}

/**
 * Returns a function that returns the warm start of a seed: the shipped, a cached or a new warm start.
 * @param cache folder that stores new warm starts; if absent, they are stored in memory only
 */
export function startsOf(
  device: EngineDevice,
  plan: ComparisonPlan,
  terminal: Terminal,
  cache?: string,
): (seed: number) => Promise<WarmStart> {
  const known = new Map<number, Promise<WarmStart>>();
  return (seed) => {
    const warmSeed = settingsOf(plan, seed).warmSeed as number;
    const start = known.get(warmSeed) ?? createStart(device, plan, seed, terminal, cache);
    known.set(warmSeed, start);
    return start;
  };
}

async function createStart(
  device: EngineDevice,
  plan: ComparisonPlan,
  seed: number,
  terminal: Terminal,
  cache: string | undefined,
): Promise<WarmStart> {
  const world = { environment: plan.environment, settings: settingsOf(plan, seed) };
  const opened = await openWorld(world);
  try {
    const shape = opened.world.policy;
    if (!plan.freshWarmStart && existsSync(warmStartFile(world.settings, world.environment))) {
      return started(loadStart(opened.world, undefined).state);
    }
    const cachePath = cache && startFile(cache, plan, world.settings);
    if (cachePath && existsSync(cachePath)) {
      try {
        return started(readPolicy(shape, new Uint8Array(readFileSync(cachePath)).buffer, cachePath));
      } catch (error) {
        terminal.err(`${reason(error)}; the warm start is made again\n`);
      }
    }
    opened.warmUp();
    const trainer = await trainWarmStart(device, world, opened.environment, terminal);
    const { parameters } = await trainer.engine.readState();
    trainer.destroy();
    const state = roundTripPolicy(shape, parameters);
    if (cachePath) writeAtomically(cachePath, new Uint8Array(writeCheckpoint(shape, state)));
    return started(state);
  } finally {
    opened.close();
  }
}

/**
 * Returns the path of a warm start that is created on demand.
 * @param code digests of the code that creates it, the current code by default
 */
export function startFile(
  folder: string,
  plan: ComparisonPlan,
  settings: ParameterValues,
  code = codeOf(plan.environment),
): string {
  return `${folder}/${warmStartName(plan.environment, settings)}_${codeName(code)}.safetensors`;
}

/** Returns a digest of code in a file name. Other code can create another warm start in the same world. */
function codeName(code: Readonly<Record<string, string>>): string {
  return createHash('sha256').update(JSON.stringify(code)).digest('hex').slice(0, 8);
}

/** Writes a file completely or not at all. Several processes can write the same file at the same time. */
export function writeAtomically(file: string, data: Uint8Array | string): void {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}.part`;
  try {
    writeFileSync(unfinished, data);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

function started(state: PolicyState): WarmStart {
  const { buffer, byteOffset, byteLength } = state.parameters;
  const digest = createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
  return { state, digest };
}

/**
 * Returns a function that opens the worlds of a comparison. A run that needs a reward model gets the shipped model, a
 * cached model, or a new model. A new model is trained on turns of the policy that the seed of the run starts from.
 * @param cache folder that stores new models; if absent, they are stored in memory only
 */
export function worldsWithModels(
  device: EngineDevice,
  plan: ComparisonPlan,
  terminal: Terminal,
  start: (seed: number) => Promise<WarmStart>,
  cache?: string,
): (configuration: RunConfiguration) => Promise<OpenWorld> {
  const known = new Map<string, Promise<ArrayBuffer>>();
  return async (configuration) => {
    const opened = await openWorld(configuration);
    const { environment, settings, seed } = configuration;
    const createModel = async (file: string, model: Reliability) => {
      const cachePath = cache && `${cache}/${file}_${codeName(codeOf(environment))}.safetensors`;
      if (cachePath && existsSync(cachePath)) return new Uint8Array(readFileSync(cachePath)).buffer;
      const { parameters } = (await start(seed)).state;
      const data = await trainModel({ device, configuration, opened, start: parameters, model }, terminal);
      if (cachePath) writeAtomically(cachePath, new Uint8Array(data));
      return data;
    };
    const loadRewardModel = (model: Reliability) => {
      const shipped = !plan.freshWarmStart && existsSync(rewardModelFile({ settings, environment }, model));
      if (shipped) return opened.loadRewardModel(model);
      const file = rewardModelName(environment, settings, model);
      const data = known.get(file) ?? createModel(file, model);
      known.set(file, data);
      // Remove a failed or stopped training, so that the next request repeats it.
      data.catch(() => known.delete(file));
      return data;
    };
    return { ...opened, loadRewardModel };
  };
}

interface ModelRequest {
  readonly device: EngineDevice;
  readonly configuration: RunConfiguration;
  readonly opened: OpenWorld;
  readonly start: Float32Array;
  readonly model: Reliability;
}

async function trainModel(
  { device, configuration, opened, start, model: reliability }: ModelRequest,
  terminal: Terminal,
) {
  const { seed, environment } = configuration;
  const { controls } = defaultConfiguration(environment);
  const trainer = await Trainer.create(device, opened.environment, seed, controls);
  try {
    trainer.engine.start(start);
    const { model } = await fitRewardModel(trainer, planOf(reliability), terminal);
    if (model.progress.centre === null) throw new Interrupted();
    return writeRewardModel(trainer.engine.config, model);
  } finally {
    trainer.destroy();
  }
}

interface WarmStartOptions {
  readonly stageSteps?: number;
  readonly from?: StoppedWarmStart | undefined;
  readonly stopped?: (warmStart: StoppedWarmStart) => Promise<void>;
}

/** Step limit that no stage reaches. */
export const ALL = 1_000_000;

/**
 * Trains a warm start with progress on the terminal. Afterwards the trainer is at step 0 with the warm start.
 * @param fullEnvironment the configuration's environment
 * @param stageSteps maximum number of steps per stage
 * @param from a stopped warm start, which this call continues
 * @param stopped receives the unfinished warm start after Ctrl-C, if at least one step is done
 * @throws {Interrupted} after Ctrl-C
 */
export async function trainWarmStart(
  device: EngineDevice,
  { environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>,
  fullEnvironment: AnyEnvironment,
  terminal: Terminal,
  { stageSteps = ALL, from, stopped }: WarmStartOptions = {},
): Promise<Trainer> {
  const warmStart = fullEnvironment.warmStart.map((stage) => limitSteps(stage, stageSteps));
  const seed = settings.warmSeed as number;
  const { controls } = defaultConfiguration(environment);
  const trainer = await Trainer.create(device, { ...fullEnvironment, warmStart }, seed, controls);
  const steps = warmStart.reduce((sum, stage) => sum + stage.steps, 0);
  if (from) trainer.load(from.state, 0);
  const before = warmStart.slice(0, from?.point.stage).reduce((sum, stage) => sum + stage.steps, 0);
  let progress = new Progress(terminal, steps, from ? before + from.state.steps : 0);
  let at: WarmStartPoint | undefined;
  const reportProgress = async ({ stage, loss, left, missed }: WarmStartProgress, point: WarmStartPoint) => {
    at = point;
    if (terminal.signal.aborted) throw new Interrupted();
    if (missed && left === steps - 1) {
      progress.write(`the policy never ${missed}; the warm start starts again`);
      progress = new Progress(terminal, steps);
    }
    progress.advance(stage, `loss ${loss.toFixed(3)}`);
  };
  try {
    await trainer.warmStart(seed, reportProgress, from?.point);
  } catch (error) {
    if (error instanceof Interrupted && at && stopped)
      await stopped({ point: at, state: await trainer.engine.readState() });
    throw error;
  } finally {
    progress.close();
  }
  return trainer;
}

/**
 * Limits the steps of a stage. A shortened stage has no `lesson`, because it is too short to teach the tested skill.
 */
function limitSteps<Stage extends WarmStartStage<Timing>>(stage: Stage, steps: number): Stage {
  if (stage.steps <= steps) return stage;
  const { lesson: _, ...rest } = stage;
  return { ...rest, steps } as Stage;
}

/**
 * Trains a reward model on turns sampled from the trainer's policy, with progress on the terminal. Returns the
 * unfinished model after Ctrl-C.
 * @param saved a stopped model, whose training continues
 * @throws {Interrupted} if there is no model yet
 */
export async function fitRewardModel(
  trainer: Trainer,
  plan: RewardModelPlan,
  terminal: Terminal,
  saved?: SavedRewardModel,
): Promise<TrainedModel> {
  return trainedOn(trainer, await sampledTurns(trainer, 'train', plan, terminal), plan, terminal, saved);
}

/**
 * Trains a reward model on these turns, from the trunk of the trainer's policy, with progress on the terminal. Returns
 * the unfinished model after Ctrl-C.
 * @param saved a stopped model, whose training continues; a finished model remains unchanged
 */
export async function trainedOn(
  trainer: Trainer,
  turns: readonly Scored[],
  plan: RewardModelPlan,
  terminal: Terminal,
  saved?: SavedRewardModel,
): Promise<TrainedModel> {
  let progress: Progress | undefined;
  const hooks: ModelHooks = {
    onStart: (pairs, done) => {
      terminal.err(`${pairs} pairs to train on\n`);
      progress = new Progress(terminal, plan.steps, done);
    },
    step: ({ loss, right }) => progress?.advance('step', `loss ${loss.toFixed(3)} · right ${right.toFixed(2)}`),
    signal: terminal.signal,
  };
  try {
    return await trainedOnTurns(trainer, turns, plan, hooks, saved);
  } finally {
    progress?.close();
  }
}

/**
 * Samples turns of a split with progress on the terminal (`scoredTurns`).
 * @throws {Interrupted} after Ctrl-C
 */
export async function sampledTurns(
  trainer: Trainer,
  split: 'train' | 'held-out',
  plan: RewardModelPlan,
  terminal: Terminal,
): Promise<readonly Scored[]> {
  return withStoppableProgress(terminal, 'task', split, (report) => scoredTurns(trainer, split, plan, report));
}
