import process from 'node:process';
import type { Metrics } from '../src/training/data/protocol.ts';
import type { Trainer } from '../src/training/run/trainer.ts';
import { median } from './measure.ts';

/** Phases of an update's time: medians over updates, milliseconds. */
export interface PhaseFigures {
  readonly updates: number;
  readonly stepMs: number;
  /** Sampling on the GPU and judging on the CPU, without what programs were waited for. */
  readonly generationMs: number;
  readonly executionMs: number;
  /** Time of the GPU; null where it has no timestamps, and all of the update is in `restMs` then. */
  readonly creditMs: number | null;
  readonly optimizationMs: number | null;
  /** The rest of the update: packing and recording on the CPU, transfers, waiting for the report. */
  readonly restMs: number;
  /** Part of the rest: packing and recording. */
  readonly encodeMs: number;
  readonly tasks: number;
  readonly turns: number;
  readonly updatesPerSecond: number;
  /** Time of all processors in an update, the shaders' on a software renderer included; null where it was not taken. */
  readonly cpuMs: number | null;
}

/** Phases of some updates. @param cpu [updates] milliseconds of processor time */
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

/** Phases of updates from the trainer's present state on, each waited for. */
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
