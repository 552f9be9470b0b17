import { existsSync } from 'node:fs';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { budgetOf, comparisonTable } from '../../experiments/compare/comparisonTable.ts';
import type { Arm, ComparisonPlan, Findings } from '../../experiments/compare/findings.ts';
import { defaults } from '../../parameters/parameters.ts';
import { show as showText } from '../../rollouts/quoting.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';
import { UsageError } from '../framework/errors.ts';
import { readTextFile } from '../framework/inputs.ts';
import { show } from '../framework/policyFiles.ts';
import { version } from '../framework/version.ts';
import { ARM, ARM_RUN, BASE_RUN, type Check, listOf, TEXT } from './findingsCheck.ts';

/** Returns the default file name of the findings in the current folder. */
export const standardFile = (environment: EnvironmentName) =>
  environment === DEFAULT_ENVIRONMENT ? 'compare.json' : `compare-${environment}.json`;

/** Findings with the properties that a reader of the file needs. */
export interface ComparisonFile extends Findings {
  /** Arms, in the requested order. */
  readonly arms: readonly Arm[];
  /** Device that ran the runs; the last device if there were several. */
  readonly device: string;
}

const FORMAT = { format: 'turnwise-comparison', formatVersion: 2 } as const;

/** Checks of the parts of a file, without the plan. */
const PARTS: Readonly<Record<string, Check>> = {
  ...{ base: listOf(BASE_RUN), runs: listOf(ARM_RUN), arms: listOf(ARM), device: TEXT },
};

/**
 * Reads the runs that an earlier attempt finished. The list is empty if the file does not exist.
 * @throws {UsageError} if the file is not a comparison file, has another plan, or has an invalid entry
 */
export function readComparison(file: string, plan: ComparisonPlan): ComparisonFile {
  if (!existsSync(file)) return { plan, base: [], runs: [], arms: [], device: '' };
  const refuse = (problem: string): never => {
    const label = file === standardFile(plan.environment) ? `${file}, the default,` : show(file);
    throw new UsageError(`--json: ${label} ${problem}; name another file with --json FILE`);
  };
  let parsed: Readonly<Record<string, unknown>>;
  try {
    parsed = JSON.parse(readTextFile('json', file)) ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse(`is not JSON (${error.message})`);
  }
  if (parsed.format !== FORMAT.format) return refuse('is not a comparison file');
  if (parsed.formatVersion !== FORMAT.formatVersion) {
    return refuse(
      `has format version ${showText(parsed.formatVersion)}, and only ${FORMAT.formatVersion} is supported`,
    );
  }
  if (typeof parsed.plan !== 'object' || parsed.plan === null) return refuse('has no plan');
  const difference = firstDifference(
    addMissingParameters(parsed.plan as Readonly<Record<string, unknown>>, plan),
    plan,
  );
  if (difference) return refuse(`has the results of another comparison (${difference})`);
  for (const [name, check] of Object.entries(PARTS)) {
    const problem = check(parsed[name], name);
    if (problem !== undefined) return refuse(`is not a valid comparison file: ${problem}`);
  }
  const { base, runs, arms, device } = parsed as unknown as ComparisonFile;
  return { plan, base, runs, arms, device };
}

/** Returns the text of the file with the findings, and with the table and the conclusions that follow from them. */
export function comparisonJson(findings: ComparisonFile): string {
  const { device, plan, base, runs } = findings;
  const all = [...findings.arms, ...runs.map(({ arm }) => arm)];
  const arms = [...new Map(all.map((arm) => [arm.name, arm])).values()];
  const { columns, rows } = comparisonTable(findings, arms);
  const table = { columns: columns.map(({ name, title, format }) => ({ name, title, format })), rows };
  const head = { ...FORMAT, version: version(), device, arms };
  const budget = budgetOf(findings, arms);
  const conclusions = COMPARED[plan.environment].conclusions(findings, arms);
  return `${JSON.stringify({ ...head, plan, base, table, budget, conclusions, runs })}\n`;
}

/** Completes a stored plan. A parameter that its version lacked has the default value. */
function addMissingParameters(parsed: Readonly<Record<string, unknown>>, plan: ComparisonPlan): object {
  const tables = tablesOf(plan.environment);
  const completePart = (part: 'settings' | 'controls') => {
    const usual = defaults(tables[part]);
    const entries = Object.keys(plan[part]).map((name) => [name, usual[name]] as const);
    return { ...Object.fromEntries(entries), ...(parsed[part] as object | undefined) };
  };
  const amounts = Object.entries(COMPARED[plan.environment].measuring)
    .filter(([name]) => name in plan.measuring)
    .map(([name, amount]) => [name, amount.default]);
  const measuring = { ...Object.fromEntries(amounts), ...(parsed.measuring as object | undefined) };
  return { worlds: 1, ...parsed, settings: completePart('settings'), controls: completePart('controls'), measuring };
}

/** Returns the first value in which two plans differ: "steps 60, not 120". */
function firstDifference(a: object, b: object, path = ''): string | undefined {
  const [left, right] = [a, b] as Record<string, unknown>[];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [old, now] = [left[name], right[name]];
    if (typeof old === 'object' && typeof now === 'object' && old !== null && now !== null) {
      const inner = firstDifference(old, now, `${path}${name}.`);
      if (inner) return inner;
    } else if (old !== now) return `${path}${name} ${showText(old)}, not ${showText(now)}`;
  }
  return undefined;
}
