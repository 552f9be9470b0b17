import process from 'node:process';
import type { Metrics } from '../src/training/data/protocol.ts';
import type { Trainer } from '../src/training/run/trainer.ts';
import { median } from './measure.ts';

/** Time of each phase of an update: medians over updates [ms]. */
export interface PhaseFigures {
  readonly updates: number;
  readonly stepMs: number;
  /** Sampling on the GPU and evaluation on the CPU, without the wait for programs. */
  readonly generationMs: number;
  readonly executionMs: number;
  /** Time of the GPU. Null if the GPU has no timestamps; then `restMs` includes this time. */
  readonly creditMs: number | null;
  readonly optimizationMs: number | null;
  /** The rest of the update: packing and recording on the CPU, transfers, waiting for the report. */
  readonly restMs: number;
  /** Packing and recording, a part of `restMs`. */
  readonly encodeMs: number;
  readonly tasks: number;
  readonly turns: number;
  readonly updatesPerSecond: number;
  /** Processor time of an update, including the shaders of a software renderer; null if it was not measured. */
  readonly cpuMs: number | null;
}

/** Computes the median phases of updates. @param cpu [updates] processor time [ms] */
export function phasesOf(metrics: readonly Metrics[], cpu?: readonly number[]): PhaseFigures {
  const middle = (of: (row: Metrics) => number) => median(metrics.map(of));
  const timed = metrics.every(({ creditMs, optimizeMs }) => creditMs !== null && optimizeMs !== null);
  const gpuMs = ({ creditMs, optimizeMs }: Metrics) => (creditMs ?? 0) + (optimizeMs ?? 0);
  const stepMs = middle((row) => row.stepMs);
  return {
    updates: metrics.length,
    stepMs,
    generationMs: middle((row) => row.generateMs - row.executeMs),
    executionMs: middle((row) => row.executeMs),
    creditMs: timed ? middle((row) => row.creditMs ?? 0) : null,
    optimizationMs: timed ? middle((row) => row.optimizeMs ?? 0) : null,
    restMs: middle((row) => row.updateMs - (timed ? gpuMs(row) : 0)),
    encodeMs: middle((row) => row.encodeMs),
    tasks: middle((row) => row.tasks),
    turns: middle((row) => row.turns),
    updatesPerSecond: 1000 / stepMs,
    cpuMs: cpu ? median(cpu) : null,
  };
}

/** Measures sequential updates from the current state of the trainer, after a warm-up. */
export async function measurePhases(trainer: Trainer, warmUp: number, repeats: number): Promise<PhaseFigures> {
  const rows: Metrics[] = [];
  const cpu: number[] = [];
  for (let update = 0; update < warmUp + repeats; update++) {
    const before = process.cpuUsage();
    rows.push(await (await trainer.update()).metrics);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  return phasesOf(rows.slice(warmUp), cpu.slice(warmUp));
}
