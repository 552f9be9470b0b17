import { armVerdicts } from '../../experiments/compare/armClaims.ts';
import type { Arm, ArmFindings, ArmPlan } from '../../experiments/compare/armComparison.ts';
import { armTable, budgetOf } from '../../experiments/compare/armTable.ts';
import { version } from '../framework/version.ts';
import { readKept } from './compareFile.ts';
import { ARM, ARM_RUN, BASE_RUN, LATER_TEXT, listOf } from './findingsCheck.ts';

const FORMAT = 'turnwise-arms';
const FORMAT_VERSION = 1;

/** Where the findings go in the caller's folder unless another file is named. */
export const armsFile = (environment: string) => `compare-${environment}.json`;

/** Findings with what a reader of them needs to know. */
export interface ArmsFile extends ArmFindings {
  /** In the order asked for. */
  readonly arms: readonly Arm[];
  /** Where the runs were done; the last device where there were several. */
  readonly device: string;
}

/**
 * Reads the runs that an earlier try finished; none where there is no file.
 * @throws {UsageError} where the file is something else, or a comparison of other settings
 */
export function readArms(file: string, plan: ArmPlan): ArmsFile {
  const standard = armsFile(plan.environment);
  const found = readKept<ArmsFile>({ file, standard, format: FORMAT, formatVersion: FORMAT_VERSION });
  if (!found) return { plan, digest: '', base: [], runs: [], arms: [], device: '' };
  const {
    digest = '',
    base,
    runs,
    arms,
    device = '',
  } = found.checked(plan, {
    digest: LATER_TEXT,
    base: listOf(BASE_RUN),
    runs: listOf(ARM_RUN),
    arms: listOf(ARM),
    device: LATER_TEXT,
  });
  return { plan, digest, base, runs, arms, device };
}

/** The text of the file that keeps the findings, with table and verdicts made from them. */
export function armsJson(found: ArmsFile): string {
  const { device, plan, digest, base, runs } = found;
  const all = [...found.arms, ...runs.map(({ arm }) => arm)];
  const arms = [...new Map(all.map((arm) => [arm.name, arm])).values()];
  const { columns, rows } = armTable(found, arms);
  const table = { columns: columns.map(({ name, title, format }) => ({ name, title, format })), rows };
  const head = { format: FORMAT, formatVersion: FORMAT_VERSION, version: version(), device, arms };
  const told = { table, budget: budgetOf(found, arms), verdicts: armVerdicts(found, arms) };
  return `${JSON.stringify({ ...head, plan, digest, base, ...told, runs })}\n`;
}
