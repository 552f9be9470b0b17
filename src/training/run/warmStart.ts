import type { Demonstration, Lesson, Timing, WarmStartStage } from '../../environments/environment.ts';
import { ReadbackRing } from '../../gpu/readbackRing.ts';
import type { Recorder } from '../../gpu/recorder.ts';
import { cos } from '../../numbers/trigonometry.ts';
import { type Objective, REPORT_WORDS, reportLine } from '../../objective/objective.ts';
import type { Sequence } from '../../policy/batch.ts';
import type { AdamWStep } from '../../policy/optimizer.ts';
import type { Policy } from '../../policy/policy.ts';
import { initialParameters } from '../../policy/weights.ts';
import type { WarmStartProgress } from '../data/protocol.ts';
import { lossBuffers, lossExtent } from '../update/lossArguments.ts';
import type { WarmStartPoint } from './stoppedWarmStart.ts';

/** AdamW as the warm start was measured with. */
const OPTIMIZER: AdamWStep = {
  learningRate: 0,
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
};
/** The cosine ends at this share of the learning rate. */
const FLOOR = 0.05;

/** How often a warm start begins before it is given up. */
const TRIES = 3;

/** A warm start that did not learn what it is for, however often it began. */
export class WarmStartError extends Error {}

/** Learning rate of a step: linear warm-up, cosine decay to a floor. */
function warmStartRate(
  stage: Pick<WarmStartStage<Timing>, 'learningRate' | 'warmUpSteps' | 'steps' | 'optimizer'>,
  step: number,
): number {
  const floor = stage.optimizer?.floor ?? FLOOR;
  const cosine = 0.5 * (1 + cos((Math.PI * step) / stage.steps));
  return stage.learningRate * Math.min(1, (step + 1) / stage.warmUpSteps) * (floor + (1 - floor) * cosine);
}

/** What the stages of a warm start train, and with what. */
interface Bench {
  readonly policy: Policy;
  readonly objective: Objective;
  readonly recorder: Recorder;
  readonly report: GPUBuffer;
  readonly ring: ReadbackRing;
}

function benchOf(policy: Policy, objective: Objective, recorder: Recorder): Bench {
  const report = policy.buffers.storage('warm-start report', REPORT_WORDS);
  const ring = new ReadbackRing(policy.buffers, 'warm-start report', REPORT_WORDS, 3);
  return { policy, objective, recorder, report, ring };
}

/**
 * Trains the present parameters on the demonstrations of a stage, with the kernels that reinforcement learning uses. The
 * moments of the optimiser start anew.
 * @param progress told of each step and its loss, in nats, a step late; throw from it to stop
 */
export async function imitate(
  policy: Policy,
  objective: Objective,
  recorder: Recorder,
  stage: WarmStartStage<Timing>,
  progress: (step: number, loss: number) => void | Promise<void>,
): Promise<void> {
  await trainStage(benchOf(policy, objective, recorder), stage, progress);
}

/**
 * Trains fresh parameters on demonstrations, stage after stage, with the kernels that reinforcement learning uses.
 * The moments of the optimiser start anew with each stage. Where a stage fails its lesson, all begins again with
 * other initial parameters.
 * @param seed of the initial parameters
 * @param progress called a few steps late; throw from it to stop
 * @param from where one that was stopped goes on, with the policy's present parameters and moments; its beginning unless given
 * @throws {WarmStartError} where no try learned its lesson
 */
export async function warmStart(
  policy: Policy,
  objective: Objective,
  recorder: Recorder,
  stages: readonly WarmStartStage<Timing>[],
  seed: number,
  progress: (progress: WarmStartProgress, point: WarmStartPoint) => void | Promise<void>,
  from?: WarmStartPoint,
): Promise<void> {
  if (from && (from.draw >= TRIES || from.stage >= stages.length)) {
    const there = `there are ${TRIES} tries of ${stages.length} stages`;
    throw new WarmStartError(`the warm start stood at try ${from.draw + 1}, stage ${from.stage + 1}, and ${there}`);
  }
  const bench = benchOf(policy, objective, recorder);
  let missed: Missed | undefined;
  for (let draw = from?.draw ?? 0; draw < TRIES; draw++) {
    const resumed = from?.draw === draw ? from.stage : undefined;
    if (resumed === undefined) policy.start(initialParameters(policy.config, seed, draw));
    const before = missed?.what;
    const told = (done: WarmStartProgress) => progress({ ...done, missed: before }, { draw, stage: done.number - 1 });
    missed = await trainStages(bench, stages, told, resumed);
    if (!missed) return;
  }
  const { stage, what, most, loss } = missed as Missed;
  throw new WarmStartError(
    `the warm start failed ${TRIES} times with warmSeed ${seed}: in stage "${stage}" the policy never ${what} ` +
      `(loss ${loss.toFixed(2)}, at most ${most}); take another warmSeed`,
  );
}

/** A lesson that was not learned, in which stage, and the loss there, in nats. */
interface Missed extends Lesson {
  readonly stage: string;
  readonly loss: number;
}

/** Trains all stages, or those from one on that was begun before. Returns the lesson that was not learned, if there is one. */
async function trainStages(
  bench: Bench,
  stages: readonly WarmStartStage<Timing>[],
  progress: (progress: WarmStartProgress) => void | Promise<void>,
  resumed?: number,
): Promise<Missed | undefined> {
  let ahead = stages.slice(resumed ?? 0).reduce((sum, { steps }) => sum + steps, 0);
  for (const [index, stage] of stages.entries()) {
    if (index < (resumed ?? 0)) continue;
    const { name, steps, lesson } = stage;
    const first = index === resumed ? bench.policy.optimizer.steps : 0;
    ahead -= first;
    const told = (step: number, loss: number) =>
      progress({ stage: name, number: index + 1, stages: stages.length, step, steps, left: --ahead, loss });
    await trainStage(bench, stage, told, first);
    if (!lesson) continue;
    const loss = await lossOf(bench, lesson.demonstrations);
    // Written so that a loss that is no number fails.
    if (!(loss <= lesson.most)) return { ...lesson, stage: name, loss };
  }
  return undefined;
}

async function trainStage(
  bench: Bench,
  stage: WarmStartStage<Timing>,
  progress: (step: number, loss: number) => void | Promise<void>,
  first = 0,
): Promise<void> {
  const { policy, recorder, ring, report } = bench;
  if (first === 0) startMoments(policy);
  let pending: Promise<void> = Promise.resolve();
  let next = stage.steps > first ? stage.demonstrations(first) : [];
  for (let step = first; step < stage.steps; step++) {
    const demonstrations = await next;
    // Programs of the next batch run while the GPU learns from this one.
    next = step + 1 < stage.steps ? stage.demonstrations(step + 1) : [];
    if (next instanceof Promise) next.catch(() => {});
    const read = recorder.whole(() => {
      recordStep(bench, stage, step, demonstrations);
      return ring.record(recorder, report);
    });
    const arrived = read().then((data) => progress(step, lossIn(data)));
    // Awaited a step later; a rejection until then must not count as unhandled.
    arrived.catch(() => {});
    await pending;
    pending = arrived;
  }
  await pending;
}

function startMoments({ gpu, layout, optimizer }: Policy): void {
  const zeros = new Float32Array(layout.size);
  gpu.device.queue.writeBuffer(optimizer.firstMoment, 0, zeros);
  gpu.device.queue.writeBuffer(optimizer.secondMoment, 0, zeros);
  optimizer.steps = 0;
}

/** Weighted mean cross-entropy of demonstrations under the present parameters, in nats. */
async function lossOf(bench: Bench, demonstrations: readonly Demonstration[]): Promise<number> {
  const { recorder, ring, report } = bench;
  const read = recorder.whole(() => {
    recordLoss(bench, demonstrations);
    return ring.record(recorder, report);
  });
  return lossIn(await read());
}

const lossIn = (data: ArrayBuffer) => reportLine(new Float32Array(data), 0).loss;

/** Records forward pass and loss of one batch, gradients of the logits included. Returns the batch as it was packed. */
function recordLoss({ policy, objective, recorder, report }: Bench, demonstrations: readonly Demonstration[]) {
  const total = demonstrations.reduce((sum, { weights }) => sum + weights.slice(1).reduce((a, b) => a + b, 0), 0);
  const sequences = demonstrations.map(({ tokens, weights }): Sequence => {
    return { tokens, weights: weights.map((weight, at) => (at === 0 ? 0 : weight / total)), credits: tokens, slot: 0 };
  });
  const { workspace } = policy;
  workspace.packer.clear();
  const minibatch = workspace.packer.add(sequences);
  workspace.uploadBatch();
  policy.recordForward(recorder, minibatch);
  objective.recordCrossEntropy(recorder, lossBuffers(workspace), lossExtent(minibatch), { report, line: 0 });
  return minibatch;
}

function recordStep(
  bench: Bench,
  stage: WarmStartStage<Timing>,
  step: number,
  demonstrations: readonly Demonstration[],
): void {
  const { policy, recorder, report } = bench;
  const minibatch = recordLoss(bench, demonstrations);
  policy.backward.record(recorder, policy.parameters, minibatch);
  const { beta1, beta2, weightDecay } = { ...OPTIMIZER, ...stage.optimizer };
  const optimizer = { ...OPTIMIZER, beta1, beta2, weightDecay, learningRate: warmStartRate(stage, step) };
  policy.optimizer.record(recorder, policy.parameters, optimizer, report, 0);
}
