import type { Engine } from '../../engine/engine.ts';
import {
  type AdamWStep,
  CheckpointError,
  checkpointMetadata,
  initialParameters,
  type PolicyConfiguration,
  type PolicyState,
  readCheckpoint,
  type Sequence,
  writeCheckpoint,
} from '../../engine/shared.ts';
import type { Demonstration, Lesson, Timing, WarmStartStage } from '../../environments/environment.ts';
import { cos } from '../../numbers/trigonometry.ts';
import type { WarmStartProgress } from '../data/protocol.ts';

/** Settings of AdamW with which the warm start was measured. */
const OPTIMIZER: AdamWStep = {
  learningRate: 0,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
};
/** Default share of the learning rate at the end of the cosine decay. */
const FLOOR = 0.05;

/** Maximum number of attempts of a warm start before it fails. */
const ATTEMPTS = 3;

/** Error of a warm start whose attempts all failed a lesson. */
export class WarmStartError extends Error {}

/** Returns the learning rate of a step: linear warm-up, then cosine decay to a floor. */
function warmStartRate(
  stage: Pick<WarmStartStage<Timing>, 'learningRate' | 'warmUpSteps' | 'steps' | 'optimizer'>,
  step: number,
): number {
  const floor = stage.optimizer?.floor ?? FLOOR;
  const cosine = 0.5 * (1 + cos((Math.PI * step) / stage.steps));
  return stage.learningRate * Math.min(1, (step + 1) / stage.warmUpSteps) * (floor + (1 - floor) * cosine);
}

/**
 * Trains new parameters on demonstrations, stage by stage, with the kernels of reinforcement learning. Each stage
 * resets the moments of the optimiser. If a stage fails its lesson, the warm start restarts with other initial
 * parameters.
 * @param seed seed of the initial parameters
 * @param progress called a few steps late. An error that it throws stops the warm start
 * @param from point at which a stopped warm start continues with the current parameters and moments; by default, its
 *   start
 * @throws {WarmStartError} if each attempt fails a lesson
 */
export async function warmStart(
  engine: Engine,
  stages: readonly WarmStartStage<Timing>[],
  seed: number,
  progress: (progress: WarmStartProgress, point: WarmStartPoint) => void | Promise<void>,
  from?: WarmStartPoint,
): Promise<void> {
  if (from && (from.draw >= ATTEMPTS || from.stage >= stages.length)) {
    const there = `there are ${ATTEMPTS} tries of ${stages.length} stages`;
    throw new WarmStartError(`the warm start stopped at try ${from.draw + 1}, stage ${from.stage + 1}, and ${there}`);
  }
  let missed: Missed | undefined;
  for (let draw = from?.draw ?? 0; draw < ATTEMPTS; draw++) {
    const resumed = from?.draw === draw ? from.stage : undefined;
    if (resumed === undefined) engine.start(initialParameters(engine.config, seed, draw));
    const before = missed?.skill;
    const report = (done: WarmStartProgress) => progress({ ...done, missed: before }, { draw, stage: done.number - 1 });
    missed = await trainStages(engine, stages, report, resumed);
    if (!missed) return;
  }
  const { stage, skill, stepLimit, loss } = missed as Missed;
  throw new WarmStartError(
    `the warm start failed ${ATTEMPTS} times with warmSeed ${seed}: in stage "${stage}" the policy never ${skill} ` +
      `(loss ${loss.toFixed(2)}, at most ${stepLimit}); take another warmSeed`,
  );
}

/** Lesson that an attempt failed, with its stage and its loss [nats]. */
interface Missed extends Lesson {
  readonly stage: string;
  readonly loss: number;
}

/**
 * Trains all stages, and returns the first failed lesson, or undefined.
 * @param resumed index of the stage in which a stopped warm start continues
 */
async function trainStages(
  engine: Engine,
  stages: readonly WarmStartStage<Timing>[],
  progress: (progress: WarmStartProgress) => void | Promise<void>,
  resumed?: number,
): Promise<Missed | undefined> {
  let ahead = stages.slice(resumed ?? 0).reduce((sum, { steps }) => sum + steps, 0);
  for (const [index, stage] of stages.entries()) {
    if (index < (resumed ?? 0)) continue;
    const { name, steps, lesson } = stage;
    const first = index === resumed ? engine.steps.policy : 0;
    ahead -= first;
    const report = (step: number, loss: number) =>
      progress({ stage: name, number: index + 1, stages: stages.length, step, steps, left: --ahead, loss });
    await imitate(engine, stage, report, first);
    if (!lesson) continue;
    const loss = await engine.crossEntropy(weighted(lesson.demonstrations));
    // The negation also rejects NaN.
    if (!(loss <= lesson.stepLimit)) return { ...lesson, stage: name, loss };
  }
  return undefined;
}

/**
 * Trains the current parameters on the demonstrations of a stage, with the kernels of reinforcement learning.
 * @param progress called for each step with its loss [nats], one step late. An error that it throws stops the training
 * @param first index of the first step; at 0, the moments are reset
 */
export async function imitate(
  engine: Engine,
  stage: WarmStartStage<Timing>,
  progress: (step: number, loss: number) => void | Promise<void>,
  first = 0,
): Promise<void> {
  if (first === 0) engine.resetMoments();
  let pending: Promise<void> = Promise.resolve();
  let next = stage.steps > first ? stage.demonstrations(first) : [];
  for (let step = first; step < stage.steps; step++) {
    const demonstrations = await next;
    // Programs of the next batch run while the GPU trains on this batch.
    next = step + 1 < stage.steps ? stage.demonstrations(step + 1) : [];
    if (next instanceof Promise) next.catch(() => {});
    const learned = engine.imitate(weighted(demonstrations), stepOf(stage, step));
    const arrived = learned.then(({ loss }) => progress(step, loss));
    // Awaited a step later; a rejection until then must not count as unhandled.
    arrived.catch(() => {});
    await pending;
    pending = arrived;
  }
  await pending;
}

/** Returns demonstrations as sequences whose weights sum to 1, so that the loss is a weighted mean. */
function weighted(demonstrations: readonly Demonstration[]): Sequence[] {
  const total = demonstrations.reduce((sum, { weights }) => sum + weights.slice(1).reduce((a, b) => a + b, 0), 0);
  return demonstrations.map(({ tokens, weights }): Sequence => {
    return { tokens, weights: weights.map((weight, at) => (at === 0 ? 0 : weight / total)), credits: tokens, slot: 0 };
  });
}

/** Returns the settings of AdamW at a step of a stage. */
function stepOf(stage: WarmStartStage<Timing>, step: number): AdamWStep {
  const { beta1, beta2, weightDecay } = { ...OPTIMIZER, ...stage.optimizer };
  return { ...OPTIMIZER, beta1, beta2, weightDecay, learningRate: warmStartRate(stage, step) };
}

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
