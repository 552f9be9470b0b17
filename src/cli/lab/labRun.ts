import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { EngineDevice } from '../../engine/engine.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { runComparison } from '../../experiments/compare/comparison.ts';
import { type Provenance, settingsOf } from '../../experiments/compare/findings.ts';
import { startFile, startsOf, worldsWithModels } from '../compare/starts.ts';
import { type EngineChoice, withDevice } from '../framework/device.ts';
import { EXIT } from '../framework/errors.ts';
import { codeOf, commitOf, version } from '../framework/installation.ts';
import { warmStartFile } from '../framework/policyFiles.ts';
import { duration, type Terminal, WrittenLine } from '../framework/terminal.ts';
import { checkWritableFolder } from '../output/outputFiles.ts';
import { checkEngine, readLab, rejectDifferentCode, type Shard, writeRun } from './labFolder.ts';
import { countRuns, type Prepared, secondsLeft, startOf, type Unit, type WorkOptions, workOf } from './work.ts';

/** Options of a lab: its work, engine and folder. */
export interface LabOptions extends WorkOptions {
  readonly engine: EngineChoice;
  readonly folder: string;
  /** Time limit [h]. A run whose expected end is later does not start. Absent for no limit. */
  readonly hours?: number;
}

/** State of a lab at its end. */
export interface LabEnd {
  /** Number of missing runs in the share of this process. */
  readonly left: number;
  readonly interrupted: boolean;
}

/** Returns the folder of the warm starts that were created for a lab. */
export const startsFolder = (folder: string) => `${folder}/warm-starts`;

/** Returns the provenance of runs on a device with the current code. */
export const currentProvenance = (device: EngineDevice, { plan }: Pick<Prepared, 'plan'>): Provenance => ({
  ...{ version: version(), commit: commitOf(), device: device.name, code: codeOf(plan.environment) },
});

/**
 * Returns a test for names of warm starts: true if the folder or the repository has the warm start.
 * @param units units that need the warm starts
 */
export function startThere(folder: string, units: readonly Unit[]): (start: string) => boolean {
  const files = new Set(
    units.flatMap((unit) => {
      const { plan } = unit.prepared;
      const name = startOf(unit);
      const settings = settingsOf(plan, unit.seed);
      const file = startFile(startsFolder(folder), plan, settings);
      return existsSync(file) || existsSync(warmStartFile(settings, plan.environment)) ? [name] : [];
    }),
  );
  return (start) => files.has(start);
}

/**
 * Executes the missing runs and writes each run when it is finished.
 * @param argument the requested argument, for messages
 * @throws {UsageError} if the folder cannot be written, or has runs of other settings, other code or another engine
 */
export async function runLab(
  requested: readonly Prepared[],
  options: LabOptions,
  argument: string,
  terminal: Terminal,
): Promise<LabEnd> {
  const { folder, hours, engine } = options;
  const units = workOf(folder, requested, options);
  for (const { key, plan } of new Map(requested.map((prepared) => [prepared.key, prepared])).values()) {
    const findings = readLab(folder, key, plan);
    rejectDifferentCode(key, findings, argument);
    if (units.some(({ prepared }) => prepared.key === key)) checkEngine(key, findings, engine);
  }
  if (units.length === 0) return { left: 0, interrupted: false };
  const folders = new Set([startsFolder(folder), ...units.map(({ prepared }) => join(folder, prepared.key))]);
  for (const path of [folder, ...folders].filter((each) => existsSync(each))) checkWritableFolder('folder', path);
  const stop = new Stopper(terminal.signal, hours);
  await withDevice(terminal, engine, async (device) => {
    lowerPriority();
    const untimed = units.map((unit) => ({ ...unit, seconds: 0 }));
    const progress = new LabProgress(terminal, units, secondsLeft(untimed, startThere(folder, units)));
    try {
      for (const unit of units) {
        if (stop.signal.aborted) break;
        await runUnit(device, unit, folder, progress, stop, terminal);
      }
    } finally {
      progress.close();
      stop.close();
    }
  });
  const left = countRuns(workOf(folder, requested, options));
  return { left, interrupted: terminal.signal.aborted };
}

/** Lowers the priority of this process, so that other programs of the machine run first. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Some systems do not allow a process to change its priority.
  }
}

async function runUnit(
  device: EngineDevice,
  { prepared, seed, arms, seconds }: Unit,
  folder: string,
  progress: LabProgress,
  stop: Stopper,
  terminal: Terminal,
): Promise<void> {
  const { claim, experiment, key, plan } = prepared;
  const before = readLab(folder, key, plan);
  const start = startsOf(device, plan, terminal, startsFolder(folder));
  let [label, startedAt, processor] = ['', performance.now(), process.cpuUsage()];
  stop.next(seconds);
  await runComparison(device, before, arms, [seed], {
    start: async (of) => {
      const state = await start(of);
      progress.started(COMPARED[plan.environment].startSeconds);
      return state;
    },
    open: worldsWithModels(device, plan, terminal, start, startsFolder(folder)),
    provenance: currentProvenance(device, prepared),
    started: (arm) => {
      label = `${claim.id} ${experiment.name}: ${arm.name}, seed ${seed}`;
      [startedAt, processor] = [performance.now(), process.cpuUsage()];
    },
    metrics: () => progress.update(label),
    onUpdate: () => progress.update(label),
    finished: (findings) => {
      const { user, system } = process.cpuUsage(processor);
      const duration = Math.round((user + system) / 1e5) / 10;
      const run = findings.runs[findings.runs.length - 1];
      writeRun(folder, key, findings, {
        ...run,
        provenance: { ...currentProvenance(device, prepared), seconds: duration },
      });
      progress.finished(key, label, duration);
      stop.next((performance.now() - startedAt) / 1000);
    },
    signal: stop.signal,
  });
}

/** Ends a lab by its signal, or before a run that is expected to exceed the time limit. */
class Stopper {
  private readonly ended = new AbortController();
  private readonly startedAt = performance.now();
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

  /** Ends the lab if the next run, with this expected time [s], exceeds the time limit. */
  next(seconds: number): void {
    if (this.hours === undefined) return;
    const elapsed = (performance.now() - this.startedAt) / 1000;
    if (elapsed + seconds > this.hours * 3600) this.ended.abort();
  }

  close(): void {
    this.from.removeEventListener('abort', this.forward);
  }
}

/** Progress of a lab: the current run and the processor time left of this process. */
export class LabProgress extends WrittenLine {
  /** Processor times of the runs of this session [s], by plan. */
  private readonly measured = new Map<string, number[]>();
  private readonly left: { readonly key: string; readonly seconds: number }[];
  private readonly runs: number;

  /** @param starts time of the missing warm starts [s] */
  constructor(
    terminal: Pick<Terminal, 'err' | 'interactive' | 'columns'>,
    units: readonly Unit[],
    private starts: number,
  ) {
    super(terminal);
    this.left = units.flatMap(({ prepared: { key }, arms, seconds }) => arms.map(() => ({ key, seconds })));
    this.runs = this.left.length;
  }

  /** Draws the progress after an update of a run. */
  update(label: string): void {
    if (this.terminal.interactive) this.draw(label, 1 - this.left.length / Math.max(1, this.runs), this.describe());
  }

  /**
   * Subtracts a warm start that was loaded or created from the time left.
   * @param seconds its expected time [s]
   */
  started(seconds: number): void {
    this.starts = Math.max(0, this.starts - seconds);
  }

  /**
   * Writes a line about a run that is finished and saved.
   * @param seconds processor time of the run [s]
   */
  finished(key: string, label: string, seconds: number): void {
    const index = this.left.findIndex((entry) => entry.key === key);
    if (index >= 0) this.left.splice(index, 1);
    this.measured.set(key, [...(this.measured.get(key) ?? []), seconds]);
    this.write(`${label} took ${duration(seconds)} of processor time; ${this.describe()}`);
  }

  /** Estimated processor time left [s]. */
  get seconds(): number {
    return this.left.reduce((sum, { key, seconds }) => {
      const durations = this.measured.get(key);
      return sum + (durations ? durations.reduce((total, value) => total + value, 0) / durations.length : seconds);
    }, this.starts);
  }

  private describe(): string {
    return `about ${duration(this.seconds)} of processor time left (${this.runs - this.left.length} of ${this.runs} runs)`;
  }
}

/** Starts this program as a new process with other arguments. */
function startProgram(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, process.argv[1], ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/**
 * Returns the share of each of several processes.
 * @param shard share of all these processes together
 */
export function sharesOf(processes: number, { part, of }: Shard = { part: 1, of: 1 }): readonly Shard[] {
  return Array.from({ length: processes }, (_, index) => ({
    part: (part - 1) * processes + index + 1,
    of: of * processes,
  }));
}

/**
 * Runs shares of the work in separate processes and forwards their error output.
 * @param argsOf returns the arguments of the process of a share
 * @returns the exit code of the first process that failed; 0 if no process failed
 */
export async function runProcesses(
  shares: readonly Shard[],
  argsOf: (shard: Shard) => readonly string[],
  terminal: Pick<Terminal, 'err' | 'signal'>,
  start = startProgram,
): Promise<number> {
  const codes = await Promise.all(
    shares.map(async (shard) => {
      const child = start(argsOf(shard));
      const stop = () => child.kill('SIGINT');
      terminal.signal.addEventListener('abort', stop, { once: true });
      if (child.stderr)
        createInterface(child.stderr).on('line', (line) => terminal.err(`${shard.part}/${shard.of}: ${line}\n`));
      try {
        return await new Promise<number>((resolve, reject) => {
          child.once('error', reject);
          child.once('close', (code) => resolve(code ?? EXIT.interrupted));
        });
      } finally {
        terminal.signal.removeEventListener('abort', stop);
      }
    }),
  );
  return codes.find((code) => code !== 0) ?? EXIT.done;
}
