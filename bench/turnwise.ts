import { loadStart } from '../src/cli/framework/policyFiles.ts';
import { openWorld } from '../src/cli/framework/worldRuns.ts';
import type { EngineDevice } from '../src/engine/engine.ts';
import { WgslEngine } from '../src/engine/wgsl/wgslEngine.ts';
import { readBuffer } from '../src/gpu/buffers.ts';
import type { Gpu } from '../src/gpu/device.ts';
import { Objective, REPORT_LINE_SIZE, reportLine } from '../src/objective/objective.ts';
import type { ParameterValues } from '../src/parameters/parameters.ts';
import { ADAMW } from '../src/policy/optimizer.ts';
import type { RolloutBatch } from '../src/rollouts/rolloutBatch.ts';
import type { EnvironmentName } from '../src/training/data/configuration.ts';
import { defaultConfiguration } from '../src/training/data/configurationTables.ts';
import type { Metrics } from '../src/training/data/protocol.ts';
import { Trainer } from '../src/training/run/trainer.ts';
import { type GpuCounts, median } from './measure.ts';
import { type PhaseFigures, phasesOf } from './phases.ts';
import { type Lesson, lessonsOf, type Workload } from './workload.ts';

/** Returns the settings of the loss and the optimiser for both sides: the settings of the standard preset. */
export function stepSettings() {
  const { controls } = defaultConfiguration();
  const number = (name: string) => controls[name] as number;
  return {
    clipLow: number('clipLow'),
    clipHigh: number('clipHigh'),
    klCoef: number('klCoef'),
    entropyCoef: number('entropyCoef'),
    adamw: { ...ADAMW, learningRate: number('learningRate'), clipNorm: number('clipNorm') },
  };
}

export interface Opened {
  readonly trainer: Trainer;
  readonly parameters: Float32Array;
  /** File of the parameters. */
  readonly file: string;
}

function wgslOf({ engine }: Trainer): WgslEngine {
  if (engine instanceof WgslEngine) return engine;
  throw new Error(`the benchmark needs a WebGPU engine, not ${engine.device.engine}`);
}

/** Returns the WebGPU device of a trainer. */
export function gpuOf(trainer: Trainer): Gpu {
  return wgslOf(trainer).policy.gpu;
}

/** Opens the standard run of an environment at its warm start. @param changes controls that replace the defaults */
export async function openTrainer(
  device: EngineDevice,
  environment: EnvironmentName = 'search',
  changes: ParameterValues = {},
): Promise<Opened> {
  const { seed, controls, settings } = defaultConfiguration(environment);
  const opened = await openWorld({ environment, settings });
  opened.warmUp();
  const { state, file } = loadStart(opened.world, undefined);
  const trainer = await Trainer.create(device, opened.environment, seed, { ...controls, ...changes });
  trainer.load(state, 0);
  return { trainer, parameters: state.parameters, file };
}

export interface UpdateFigures {
  readonly rollouts: number;
  /** Medians over the updates. */
  readonly updateMs: number;
  readonly generateMs: number;
  readonly trainMs: number;
  readonly generatedTokens: number;
  readonly trainedTokens: number;
  readonly counts: { readonly update: GpuCounts; readonly generation: GpuCounts };
  readonly dispatchesPerPosition: number;
  readonly generatedPerSecond: number;
  readonly trainedPerSecond: number;
  readonly phases: PhaseFigures;
}

/** Measures complete updates of the standard run, one at a time. */
export async function measureUpdates(
  { trainer }: Opened,
  warmUp: number,
  repeats: number,
  count: (run: () => Promise<unknown>) => Promise<GpuCounts>,
): Promise<{ figures: UpdateFigures; batch: RolloutBatch }> {
  let last: RolloutBatch | undefined;
  const rows: { updateMs: number; generateMs: number; trainMs: number; generated: number; trained: number }[] = [];
  const reported: Metrics[] = [];
  const update = async () => {
    const start = performance.now();
    const { batch, metrics } = await trainer.update();
    const arrived = await metrics;
    reported.push(arrived);
    const { generateMs, updateMs: trainMs } = arrived;
    const trained = batch.rollouts.reduce((sum, { tokens }) => sum + tokens.length - 1, 0);
    rows.push({ updateMs: performance.now() - start, generateMs, trainMs, generated: batch.policyTokens, trained });
    last = batch;
  };
  for (let i = 0; i < warmUp + repeats; i++) await update();
  const counted = rows.slice(warmUp);
  const phases = phasesOf(reported.slice(warmUp));
  const updateCounts = await count(update);
  const rollouts = (last as RolloutBatch).rollouts.length;
  const generation = await count(() => trainer.measurer.evaluate(rollouts, 'train'));
  const middle = (key: keyof (typeof rows)[number]) => median(counted.map((row) => row[key]));
  const positions = turnLimits(trainer).reduce((sum, limit) => sum + limit, 0);
  const [generatedTokens, trainedTokens] = [middle('generated'), middle('trained')];
  const figures: UpdateFigures = {
    rollouts,
    updateMs: middle('updateMs'),
    generateMs: middle('generateMs'),
    trainMs: middle('trainMs'),
    generatedTokens,
    trainedTokens,
    counts: { update: updateCounts, generation },
    dispatchesPerPosition: generation.dispatches / positions,
    generatedPerSecond: (1000 * generatedTokens) / middle('generateMs'),
    trainedPerSecond: (1000 * trainedTokens) / middle('trainMs'),
    phases,
  };
  return { figures, batch: last as RolloutBatch };
}

/**
 * Measures the generation of the rollouts of an update, including the environment [ms]. The update starts from the warm
 * start, so that every call does the same work.
 * @param step index of the update, which determines its questions and draws
 */
export async function generationTime({ trainer, parameters }: Opened, step: number): Promise<number> {
  trainer.engine.start(parameters);
  trainer.step = step;
  const { metrics } = await trainer.update();
  return (await metrics).generateMs;
}

function turnLimits({ environment }: Trainer): number[] {
  return Array.from({ length: environment.maxTurns }, (_, turn) => environment.turnLimit(turn));
}

/** Returns the work for both sides of the comparison. */
export function workloadOf({ trainer, parameters }: Opened, batch: RolloutBatch, sequences: number): Workload {
  const { config } = trainer.engine;
  return { config, parameters, lessons: lessonsOf(batch, sequences), batch, turnLimits: turnLimits(trainer) };
}

/**
 * Prepares an optimiser step on the lessons, in the buffers of the standard run.
 * @returns a function that makes a step and reads its loss and gradient norm
 */
export async function trainingStep({ trainer }: Opened, { parameters, lessons }: Workload) {
  const { policy, recorder } = wgslOf(trainer);
  const { workspace, gpu, buffers, config } = policy;
  const objective = await Objective.create(gpu);
  const report = buffers.storage('benchmark report', REPORT_LINE_SIZE);
  const advantage = buffers.storage('benchmark advantage', lessons.length * config.context);
  const settings = stepSettings();
  const slotOf = (index: number) => index * config.context;
  policy.start(parameters);
  lessons.forEach(({ oldLogProbs, advantages }, index) => {
    const recorded = Float32Array.from({ length: 4 * oldLogProbs.length }, (_, i) =>
      i % 4 === 0 ? oldLogProbs[i / 4] : 0,
    );
    gpu.device.queue.writeBuffer(workspace.recorded, 16 * slotOf(index), recorded);
    gpu.device.queue.writeBuffer(advantage, 4 * slotOf(index), Float32Array.from(advantages));
  });
  const sequence = ({ tokens, weights }: Lesson, index: number) => {
    const slot = slotOf(index);
    return { tokens, weights, slot, credits: Array.from(tokens, (_, t) => slot + t) };
  };
  return async () => {
    workspace.packer.clear();
    const minibatch = workspace.packer.add(lessons.map(sequence));
    workspace.uploadBatch();
    policy.recordForward(recorder, minibatch);
    const { targetBase, countIndex, targets } = minibatch;
    const extent = { targetBase, countIndex: countIndex + 1, limit: targets };
    const weights = { ...settings, valueCoef: 0, valueClip: 0 };
    const arrays = { ...workspace.batch, ...workspace };
    objective.recordSurrogate(recorder, { buffers: arrays, advantage, extent, weights }, { report, line: 0 });
    policy.backward.record(recorder, policy.parameters, minibatch);
    policy.optimizer.record(recorder, policy.parameters, settings.adamw, report, 0);
    recorder.submit();
    const line = reportLine(new Float32Array(await readBuffer(gpu.device, report, REPORT_LINE_SIZE)), 0);
    return { loss: line.loss, gradientNorm: line.gradientNorm };
  };
}
