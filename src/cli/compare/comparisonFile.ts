import { existsSync } from 'node:fs';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { RULES } from '../../credit/rules.ts';
import { conclusionsOf } from '../../experiments/claims/comparisonConclusions.ts';
import { type Arm, EXPERT_ARM } from '../../experiments/compare/arms.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { budgetOf, comparisonTable } from '../../experiments/compare/comparisonTable.ts';
import type { ComparisonPlan, Findings } from '../../experiments/compare/findings.ts';
import { defaults } from '../../parameters/parameters.ts';
import { show as showText } from '../../rollouts/quoting.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';
import { UsageError } from '../framework/errors.ts';
import { readTextFile } from '../framework/inputs.ts';
import { version } from '../framework/installation.ts';
import { show } from '../framework/policyFiles.ts';

// Requirements for the entries of a file of findings. The program writes the entries itself, but users edit such files
// and merge files of several machines. A table over invalid entries would be wrong without a warning.

/** Check of a value. Returns the error with the path of the value, or undefined if the value is valid. */
type Check = (value: unknown, path: string) => string | undefined;

const NAMES = RULES.map(({ name }) => name);

const of =
  (noun: string, fits: (value: unknown) => boolean): Check =>
  (value, path) => {
    if (fits(value)) return undefined;
    return `${path} ${value === undefined ? 'is missing' : `is ${showText(value)}, not ${noun}`}`;
  };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TEXT = of('a text', (value) => typeof value === 'string');
const RULE = of('a credit rule', (value) => NAMES.includes(value as string) || isCustomRuleName(String(value)));
const COUNT = of('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
/** Check of a measurement. A rate over zero cases is NaN, which JSON stores as null. */
const MEASURED = of('a number or null', (value) => value === null || Number.isFinite(value));
const SETTING = of('a number or a text', (value) => Number.isFinite(value) || typeof value === 'string');

/** Creates the check of a list whose entries all pass `entry`. */
function listOf(entry: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return of('a list', () => false)(value, path);
    return first(value.map((element, index) => () => entry(element, `${path}[${index}]`)));
  };
}

const recordOf =
  (entry: Check): Check =>
  (value, path) => {
    if (!isRecord(value)) return of('an object', () => false)(value, path);
    return first(Object.keys(value).map((name) => () => entry(value[name], `${path}.${name}`)));
  };

const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (!isRecord(value)) return of('an object', () => false)(value, path);
    return first(
      Object.entries(checks).map(
        ([name, check]) =>
          () =>
            check(value[name], `${path}.${name}`),
      ),
    );
  };

const MEASUREMENTS = recordOf(MEASURED);
const SERIES = recordOf(listOf(MEASURED));

/** Checks of `Arm`, `BaseRun` and `ArmRun` of findings.ts. The rule of an arm is a credit rule or expert iteration. */
const ARM_RULE: Check = (value, path) => (value === EXPERT_ARM ? undefined : RULE(value, path));
const NAMED_ARM = fields({ name: TEXT, rule: ARM_RULE, changes: recordOf(SETTING) });
const OPTIONAL_COUNT: Check = (value, path) => (value === undefined ? undefined : COUNT(value, path));
const SWITCH = fields({ step: COUNT, to: NAMED_ARM, habit: OPTIONAL_COUNT });
const ARM: Check = (value, path) =>
  NAMED_ARM(value, path) ??
  (isRecord(value) && value.switch !== undefined ? SWITCH(value.switch, `${path}.switch`) : undefined);
const BASE_RUN = fields({ seed: COUNT, digest: TEXT, measured: MEASUREMENTS });
const PROVENANCE = fields({ version: TEXT, device: TEXT, code: recordOf(TEXT), again: OPTIONAL_COUNT });
const OPTIONAL_PROVENANCE: Check = (value, path) => (value === undefined ? undefined : PROVENANCE(value, path));
const ARM_RUN = fields({
  ...{ arm: ARM, seed: COUNT, digest: TEXT, heldOut: MEASUREMENTS, series: SERIES, provenance: OPTIONAL_PROVENANCE },
});
/** Returns the first problem. Later checks do not run. */
function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

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
  const conclusions = conclusionsOf(findings, arms);
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
