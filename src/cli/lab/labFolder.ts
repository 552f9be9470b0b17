import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import type { ArmRun, BaseRun, ComparisonPlan, Findings } from '../../experiments/compare/findings.ts';
import { METRICS } from '../../metrics/metricTable.ts';
import { type ComparisonFile, comparisonJson, readComparison } from '../compare/comparisonFile.ts';
import { writeAtomically } from '../compare/starts.ts';
import type { EngineChoice } from '../framework/device.ts';
import { UsageError } from '../framework/errors.ts';
import { codeOf } from '../framework/installation.ts';
import { show } from '../framework/policyFiles.ts';

/** Share of the work: `3/8` is part 3 of 8. */
export interface Shard {
  readonly part: number;
  readonly of: number;
}

/** Returns the path of the file of one run. Two processes write the same file only if they execute the same run. */
export function runFile(folder: string, key: string, { arm, seed }: Pick<ArmRun, 'arm' | 'seed'>): string {
  const name = arm.name.replace(/[^a-z0-9=.-]+/gi, '_');
  return join(folder, key, `${name}.${String(seed).padStart(2, '0')}.json`);
}

/** Returns all files with runs of a plan: one file per run, and files of `compare` that the user copied there. */
export function labFiles(folder: string, key: string): string[] {
  const path = join(folder, key);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name));
}

/** Writes a run and the measurements of its warm start. The file is complete or absent. */
export function writeRun(folder: string, key: string, { plan, base }: Findings, run: ArmRun): void {
  const { baseOnce } = COMPARED[plan.environment];
  const baseRuns = base.filter(({ digest, seed }) => digest === run.digest && (baseOnce || seed === run.seed));
  const file = { plan, base: baseRuns, runs: [run], arms: [run.arm], device: run.provenance?.device ?? '' };
  writeAtomically(runFile(folder, key, run), comparisonJson(file));
}

/**
 * Reads all runs of a plan from the files of a folder.
 * @throws {UsageError} if two files have different runs of one arm and seed
 */
export function readLab(folder: string, key: string, plan: ComparisonPlan): ComparisonFile {
  const files = labFiles(folder, key).map((file) => ({ file, comparison: readComparison(file, plan) }));
  return joined(plan, files);
}

/**
 * Merges the findings of several files.
 * @throws {UsageError} if two files have different runs of one arm and seed
 */
function joined(
  plan: ComparisonPlan,
  files: readonly { readonly file: string; readonly comparison: ComparisonFile }[],
): ComparisonFile {
  const runs = new Map<string, { readonly run: ArmRun; readonly file: string }>();
  const base = new Map<string, BaseRun>();
  const { baseOnce } = COMPARED[plan.environment];
  for (const { file, comparison } of files) {
    for (const baseRun of comparison.base) {
      const name = baseOnce ? baseRun.digest : `${baseRun.digest} ${baseRun.seed}`;
      base.set(name, base.get(name) ?? baseRun);
    }
    for (const run of comparison.runs) {
      const name = `${run.arm.name}, seed ${run.seed}`;
      const previous = runs.get(name);
      const difference = previous && firstDifference(previous.run, run);
      if (previous && difference) {
        throw new UsageError(`${show(previous.file)} and ${show(file)} have different runs of ${name}: ${difference}`);
      }
      runs.set(name, previous ?? { run, file });
    }
  }
  const all = [...runs.values()].map(({ run }) => run).sort((a, b) => a.seed - b.seed);
  const arms = [...new Map(all.map(({ arm }) => [arm.name, arm])).values()];
  return { plan, base: [...base.values()], runs: all, arms, device: files.at(-1)?.comparison.device ?? '' };
}

/**
 * Rejects runs of other code. A table must not mix their numbers with the numbers of new runs.
 * @throws {UsageError} with the plan, the number of runs and the source folders that differ
 */
export function rejectDifferentCode(key: string, { plan, runs }: Findings, argument: string): void {
  const now = codeOf(plan.environment);
  const differs = runs.map(({ provenance }) =>
    provenance && Object.keys(provenance.code).length > 0 ? differingFolders(provenance.code, now) : undefined,
  );
  const unknown = differs.filter((folders) => folders === undefined).length;
  const differing = differs.flatMap((folders) => (folders && folders.length > 0 ? [folders] : []));
  if (unknown + differing.length === 0) return;
  const where = [...new Set(differing.flat())].sort();
  const description = [
    ...(differing.length > 0 ? [`${differing.length} runs of other code (${where.join(', ')} differ)`] : []),
    ...(unknown > 0 ? [`${unknown} runs without a record of their code`] : []),
  ].join(' and ');
  throw new UsageError(
    `${key} has ${description}. \`lab check ${argument}\` repeats a sample of them and accepts all of them if it gives the same ` +
      'bits; or start in another --folder',
  );
}

/**
 * Throws if a file has runs of the other engine, which trains different policies.
 * @throws {UsageError} with the number of runs and their device
 */
export function checkEngine(key: string, { runs }: Pick<Findings, 'runs'>, engine: EngineChoice): void {
  const mismatched = runs.filter(
    ({ provenance }) => (provenance?.device.startsWith('exact/') ?? false) !== (engine === 'exact'),
  );
  if (mismatched.length === 0) return;
  const device = mismatched[0].provenance?.device || 'an unnamed device';
  throw new UsageError(
    `${key} has ${mismatched.length} runs of ${device}, and --engine is ${engine}; choose the other engine, or another --folder`,
  );
}

/** Returns the folders in which two digests of code differ. */
export function differingFolders(
  first: Readonly<Record<string, string>>,
  second: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(first), ...Object.keys(second)])].filter(
    (folder) => first[folder] !== second[folder],
  );
}

/** Names of the metrics that depend on the clock. */
const CLOCK: readonly string[] = METRICS.filter(({ group }) => group === 'time').map(({ name }) => name);

/**
 * Returns the first difference between two runs of one arm and seed, or undefined if the runs have the same bits.
 * Findings store curves with six digits. Metrics that depend on the clock or that only one run has are not compared.
 */
export function firstDifference(first: ArmRun, second: ArmRun): string | undefined {
  if (first.digest !== second.digest) return 'they started from different policies';
  for (const name of shared(first.heldOut, second.heldOut)) {
    const [a, b] = [first.heldOut[name], second.heldOut[name]].map(toFinite);
    if (a !== b) return `measured ${name} ${a}, and ${b}`;
  }
  for (const name of shared(first.series, second.series)) {
    if (CLOCK.includes(name)) continue;
    const [a, b] = [first.series[name], second.series[name]];
    const at = Array.from({ length: Math.max(a.length, b.length) }, (_, step) => step).find(
      (step) => a[step] !== b[step],
    );
    if (at !== undefined) return `${name} at update ${at} ${a[at]}, and ${b[at]}`;
  }
  return undefined;
}

/** Returns null for a number that JSON cannot represent, because a file stores null there. */
function toFinite(value: number | null): number | null {
  return value === null || Number.isFinite(value) ? value : null;
}

function shared(first: object, second: object): string[] {
  return Object.keys(first).filter((name) => name in second);
}

/** Returns the digest of the results of a run: all measurements, and the complete curves with the given names. */
export function resultDigest({ heldOut, series }: ArmRun, curves: readonly string[]): string {
  const measured = Object.keys(heldOut)
    .sort()
    .map((name) => [name, heldOut[name]]);
  const entries = curves.map((name) => [name, series[name] ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([measured, entries]))
    .digest('hex')
    .slice(0, 16);
}
