import type { EngineDevice } from '../../engine/engine.ts';
import { runComparison } from '../../experiments/compare/comparison.ts';
import type { Findings, Made } from '../../experiments/compare/findings.ts';
import { type ComparisonFile, comparisonJson, readComparison } from '../compare/comparisonFile.ts';
import { worldsWithModels } from '../compare/rewardModels.ts';
import { startsOf } from '../compare/starts.ts';
import { codeOf } from '../framework/code.ts';
import { type EngineChoice, withDevice } from '../framework/device.ts';
import type { Terminal } from '../framework/terminal.ts';
import { version } from '../framework/version.ts';
import { withOutputs } from '../output/outputs.ts';
import { checkEngine, labFile, readLab, refuseOtherCode, type Shard } from './labFolder.ts';
import { LabProgress } from './labProgress.ts';
import type { Prepared } from './prepared.ts';
import { type Work, workOf } from './work.ts';

/** What a lab is to do, and where. */
export interface LabOptions {
  readonly engine: EngineChoice;
  readonly folder: string;
  readonly shard?: Shard;
  /** No run begins after so many hours, nor one that would not be done by then. */
  readonly hours?: number;
}

/** How a lab ended. */
export interface LabEnd {
  /** Runs that are still to be done of this process's share. */
  readonly left: number;
  readonly interrupted: boolean;
}

/** Where warm starts are kept that were made for a lab. */
export const startsFolder = (folder: string) => `${folder}/warm-starts`;

/** By what runs are made now. */
export const madeNow = (device: EngineDevice, { plan }: Pick<Prepared, 'plan'>): Made => ({
  ...{ version: version(), device: device.name, code: codeOf(plan.environment) },
});

/**
 * Does the runs that are missing, and writes each as soon as it is finished.
 * @param word what was asked for, as a message repeats it
 * @throws {UsageError} where the folder has runs of other settings or other code
 */
export async function runLab(
  asked: readonly Prepared[],
  options: LabOptions,
  word: string,
  terminal: Terminal,
): Promise<LabEnd> {
  const { folder, shard, hours, engine } = options;
  for (const { key, plan } of asked) refuseOtherCode(key, readLab(folder, key, plan), word);
  const work = workOf(folder, asked, shard);
  const left = () => workOf(folder, asked, shard).reduce((sum, { missing }) => sum + missing.length, 0);
  if (work.every(({ missing }) => missing.length === 0)) return { left: 0, interrupted: false };
  for (const { prepared, missing } of work) {
    if (missing.length > 0) checkEngine(prepared.key, readLab(folder, prepared.key, prepared.plan), engine);
  }
  const stop = new Stopper(terminal.signal, hours);
  await withDevice(terminal, engine, async (device) => {
    const progress = new LabProgress(terminal, work);
    try {
      for (const [index, one] of work.entries()) {
        if (stop.signal.aborted) break;
        if (one.missing.length > 0) await runExperiment(device, one, index, options, progress, stop, terminal);
      }
    } finally {
      progress.close();
      stop.close();
    }
  });
  return { left: left(), interrupted: terminal.signal.aborted };
}

/** The runs that are missing of one experiment. */
async function runExperiment(
  device: EngineDevice,
  { prepared, seeds, missing, updates, seconds }: Work,
  index: number,
  { folder, shard }: LabOptions,
  progress: LabProgress,
  stop: Stopper,
  terminal: Terminal,
): Promise<void> {
  const { claim, experiment, key, plan, arms } = prepared;
  const file = labFile(folder, key, shard);
  await withOutputs(terminal, { folder: file }, { readAgain: ['folder'] }, async ({ folder: json }) => {
    const before = readLab(folder, key, plan);
    const own = readComparison(file, plan);
    const made = madeNow(device, prepared);
    const starts = startsOf(device, plan, terminal, startsFolder(folder));
    let [label, began] = ['', performance.now()];
    stop.next((updates * seconds) / missing.length);
    await runComparison(device, before, arms, seeds, {
      start: starts,
      open: worldsWithModels(device, plan, terminal, starts, startsFolder(folder)),
      made,
      started: (arm, seed) => {
        label = `${claim.id} ${experiment.name}: ${arm.name}, seed ${seed}`;
        began = performance.now();
        progress.begins();
      },
      metrics: () => progress.update(index, label),
      worked: () => progress.update(index, label),
      finished: async (findings) => {
        await json.write(comparisonJson(withNew(own, before, findings, device.name)));
        progress.finished(index, label);
        stop.next((performance.now() - began) / 1000);
      },
      signal: stop.signal,
    });
  });
}

/** What a file had, and what is new since the folder was read. */
function withNew(own: ComparisonFile, before: Findings, now: Findings, device: string): ComparisonFile {
  const runs = [...own.runs, ...now.runs.filter((run) => !before.runs.includes(run))];
  const base = [...own.base, ...now.base.filter((one) => !before.base.includes(one))];
  return { ...own, runs, base, arms: [...new Map(runs.map(({ arm }) => [arm.name, arm])).values()], device };
}

/** Ends a lab by its signal, or before the run that would take it over its hours. */
class Stopper {
  private readonly ended = new AbortController();
  private readonly began = performance.now();
  private readonly forward = () => this.ended.abort(this.from.reason);

  constructor(
    private readonly from: AbortSignal,
    private readonly hours: number | undefined,
  ) {
    if (from.aborted) this.forward();
    from.addEventListener('abort', this.forward);
  }

  get signal(): AbortSignal {
    return this.ended.signal;
  }

  /** The next run will take about so long. */
  next(seconds: number): void {
    if (this.hours === undefined) return;
    const spent = (performance.now() - this.began) / 1000;
    if (spent + seconds > this.hours * 3600) this.ended.abort();
  }

  close(): void {
    this.from.removeEventListener('abort', this.forward);
  }
}
