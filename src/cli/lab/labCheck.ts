import { existsSync, renameSync } from 'node:fs';
import type { EngineDevice } from '../../engine/engine.ts';
import type { RunRecord } from '../../experiments/claims/claimResult.ts';
import { isSwitched } from '../../experiments/compare/arms.ts';
import { runComparison, type WarmStart } from '../../experiments/compare/comparison.ts';
import { type ArmRun, settingsOf } from '../../experiments/compare/findings.ts';
import { comparisonJson, readComparison } from '../compare/comparisonFile.ts';
import { startFile, startsOf, worldsWithModels } from '../compare/starts.ts';
import { type EngineChoice, withDevice } from '../framework/device.ts';
import { Interrupted } from '../framework/errors.ts';
import type { Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { differingFolders, firstDifference, labFiles, readLab, resultDigest } from './labFolder.ts';
import { currentProvenance, startsFolder } from './labRun.ts';
import { readResult } from './resultFiles.ts';
import { drawnCurves } from './results.ts';
import type { Prepared } from './work.ts';

/** Request to repeat a run, with the stored result of the run. */
export interface RepeatRequest {
  readonly prepared: Prepared;
  readonly arm: string;
  readonly seed: number;
  /** Run of a lab folder. Absent if the request comes from a result file. */
  readonly run?: ArmRun;
  /** Record of a result file. Absent if the request comes from a lab folder. */
  readonly record?: RunRecord & { readonly curves: readonly string[] };
}

/** Result of a repeated run. */
export interface Repeated {
  readonly again: RepeatRequest;
  /** Device that repeated the run. */
  readonly device: string;
  /** First difference from the stored run. Absent if both runs have the same bits. */
  readonly difference?: string;
  /** Device of the stored run. Absent if both runs used the same device. */
  readonly deviceDiffers?: string;
}

/** Properties of a run that `sampleOf` reads. */
interface Sampled {
  readonly prepared: Pick<Prepared, 'key'>;
  readonly run?: Pick<ArmRun, 'arm'>;
}

/**
 * Returns up to `count` items per plan at equal intervals, starting with the first item. Runs with a rule switch come
 * after all other runs of the plan.
 */
export function sampleOf<Item extends Sampled>(all: readonly Item[], count: number): Item[] {
  const switched = ({ run }: Item) => run !== undefined && isSwitched(run.arm);
  return [...new Set(all.map(({ prepared }) => prepared.key))].flatMap((key) => {
    const candidates = all.filter(({ prepared }) => prepared.key === key);
    const from = [...candidates.filter((candidate) => !switched(candidate)), ...candidates.filter(switched)];
    const limit = Math.min(count, from.length);
    return Array.from({ length: limit }, (_, index) => from[Math.floor((index * from.length) / limit)]);
  });
}

/**
 * Repeats runs.
 * @param report receives each result as soon as its run ends
 * @throws {Interrupted} after Ctrl-C
 */
export async function repeatRuns(
  list: readonly RepeatRequest[],
  folder: string,
  engine: EngineChoice,
  terminal: Terminal,
  report: (result: Repeated) => void,
): Promise<readonly Repeated[]> {
  return withDevice(terminal, engine, async (device) => {
    const results: Repeated[] = [];
    for (const again of list) {
      const { prepared, arm, seed } = again;
      terminal.err(`${prepared.claim.id} ${prepared.experiment.name}: ${arm}, seed ${seed}, again\n`);
      const run = await once(device, again, folder, terminal);
      const before = again.run?.provenance?.device ?? again.record?.device;
      const deviceDiffers = before !== undefined && before !== '' && before !== device.name ? before : undefined;
      const difference = differenceOf(again, run);
      const result = {
        again,
        device: device.name,
        ...(difference ? { difference } : {}),
        ...(deviceDiffers ? { deviceDiffers } : {}),
      };
      results.push(result);
      report(result);
    }
    return results;
  });
}

async function once(
  device: EngineDevice,
  { prepared, arm, seed }: RepeatRequest,
  folder: string,
  terminal: Terminal,
): Promise<ArmRun> {
  const { key, plan, arms } = prepared;
  const selected = arms.filter(({ name }) => name === arm);
  const start = startsOf(device, plan, terminal, startsFolder(folder));
  const { runs } = await runComparison(
    device,
    { plan, base: readLab(folder, key, plan).base, runs: [] },
    selected,
    [seed],
    {
      start,
      open: worldsWithModels(device, plan, terminal, start, startsFolder(folder)),
      provenance: currentProvenance(device, prepared),
      signal: terminal.signal,
    },
  );
  if (runs.length === 0) throw new Interrupted();
  return runs[0];
}

function differenceOf({ run: before, record }: RepeatRequest, run: ArmRun): string | undefined {
  if (before) return firstDifference(before, run);
  if (!record) return undefined;
  if (record.digest !== run.digest) return 'it started from another policy';
  const digest = resultDigest(run, record.curves);
  return record.result === digest ? undefined : `the digest of its results is ${digest}, not ${record.result}`;
}

/**
 * Records the current code as the provenance of the runs of a plan; the commit that made a run stays. Call this after a sample of the runs gave the same
 * bits with the current code.
 * @param device device that repeated the sample; runs of other devices remain unchanged
 * @param again number of repeated runs
 * @returns number of runs whose provenance changed
 */
export async function adoptRuns(
  prepared: Prepared,
  folder: string,
  device: string,
  code: Readonly<Record<string, string>>,
  again: number,
  version: string,
  terminal: Terminal,
): Promise<number> {
  let count = 0;
  for (const file of labFiles(folder, prepared.key)) {
    await withOutputs(terminal, { folder: file }, { rereadOutputs: ['folder'] }, async ({ folder: json }) => {
      const comparison = readComparison(file, prepared.plan);
      const runs = comparison.runs.map((run) => {
        const runDevice = run.provenance?.device || comparison.device;
        const same = run.provenance && differingFolders(run.provenance.code, code).length === 0;
        if (same || runDevice !== device) return run;
        count++;
        return { ...run, provenance: { ...run.provenance, version, device, code, again } };
      });
      if (runs.some((run, index) => run !== comparison.runs[index]))
        await json.write(comparisonJson({ ...comparison, runs }));
    });
  }
  return count;
}

/**
 * Accepts the warm starts of earlier code, so that they are not trained again. Trains the first of them again and renames
 * the rest if it has the same bits. Call this before `adoptRuns`, which replaces the record of the earlier code.
 * @param train returns the warm start of a seed
 * @returns number of renamed warm starts
 * @throws {Error} if the repeated warm start has other bits
 */
export async function adoptStarts(
  { key, plan }: Prepared,
  folder: string,
  train: (seed: number) => Promise<WarmStart>,
): Promise<number> {
  const earlier = new Map<string, { readonly to: string; readonly seed: number; readonly digest: string }>();
  for (const { seed, digest, provenance } of readLab(folder, key, plan).runs) {
    const settings = settingsOf(plan, seed);
    const to = startFile(startsFolder(folder), plan, settings);
    const from = startFile(startsFolder(folder), plan, settings, provenance?.code);
    if (from !== to && existsSync(from) && !existsSync(to)) earlier.set(from, { to, seed, digest });
  }
  const [first, ...rest] = earlier;
  if (rest.length === 0) return 0;
  const [file, { seed, digest }] = first;
  if ((await train(seed)).digest !== digest) throw new Error(`the warm start ${file} has other bits with this code`);
  for (const [from, { to }] of rest) renameSync(from, to);
  return rest.length;
}

/** Returns the runs of the experiments that a lab folder has. */
export function runsIn(folder: string, requested: readonly Prepared[]): RepeatRequest[] {
  const visited = new Set<string>();
  return requested.flatMap((prepared) => {
    const { key, plan, arms, seeds } = prepared;
    const names = arms.map(({ name }) => name);
    return readLab(folder, key, plan)
      .runs.filter(({ arm, seed }) => names.includes(arm.name) && seeds.includes(seed))
      .flatMap((run): RepeatRequest[] => {
        const name = `${key} ${run.arm.name} ${run.seed}`;
        if (visited.has(name)) return [];
        visited.add(name);
        return [{ prepared, arm: run.arm.name, seed: run.seed, run }];
      });
  });
}

/** Returns the runs of the experiments that a folder of results has digests of. */
export function runsRecorded(results: string, requested: readonly Prepared[]): RepeatRequest[] {
  return requested.flatMap((prepared) => {
    const result = readResult(results, prepared.claim.id);
    const experiment = result?.experiments.find(({ name }) => name === prepared.experiment.name);
    const curves = drawnCurves(prepared);
    return (experiment?.runs ?? []).map((record) => ({
      ...{ prepared, arm: record.arm, seed: record.seed },
      record: { ...record, curves },
    }));
  });
}
