import { existsSync } from 'node:fs';
import { verdicts } from '../../experiments/compare/claims.ts';
import type { ComparisonPlan, Findings } from '../../experiments/compare/comparison.ts';
import { comparisonTable } from '../../experiments/compare/comparisonTable.ts';
import { defaults, type ParameterValues } from '../../parameters/parameters.ts';
import { show as shown } from '../../rollouts/quoting.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';
import { UsageError } from '../framework/errors.ts';
import { readTextFile } from '../framework/inputs.ts';
import { show } from '../framework/policyFiles.ts';
import { version } from '../framework/version.ts';
import { ARM_RESULT, BASE_RESULT, type Check, LATER_TEXT, listOf, RULE_ENTRY } from './findingsCheck.ts';

const FORMAT = 'turnwise-comparison';
const FORMAT_VERSION = 1;

/** Where the findings go in the caller's folder unless another file is named. */
export const DEFAULT_FILE = 'compare.json';

/** Findings with what a reader of them needs to know. */
export interface ComparisonFile extends Findings {
  /** Rules in the order asked for. */
  readonly rules: readonly string[];
  /** Where the arms were trained; the last device where there were several. */
  readonly device: string;
}

/**
 * Reads the arms that an earlier try finished; none where there is no file.
 * @throws {UsageError} where the file is something else, or a comparison of other settings
 */
export function readComparison(file: string, plan: ComparisonPlan): ComparisonFile {
  const nothing: ComparisonFile = { plan, base: [], arms: [], rules: [], device: '' };
  const found = readKept<ComparisonFile>({
    file,
    standard: DEFAULT_FILE,
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
  });
  if (!found) return nothing;
  const { base, arms, rules, device } = found.checked(plan, {
    base: listOf(BASE_RESULT),
    arms: listOf(ARM_RESULT),
    rules: (value, path) => (value === undefined ? undefined : listOf(RULE_ENTRY)(value, path)),
    device: LATER_TEXT,
  });
  return { plan, base, arms, rules: rules ?? [], device: device ?? '' };
}

/** A file of findings, and what it must be. */
interface Kept {
  readonly file: string;
  /** The name that it has where none is given. */
  readonly standard: string;
  readonly format: string;
  readonly formatVersion: number;
}

/**
 * Reads what an earlier try kept; undefined where there is no file.
 * @throws {UsageError} where the file is something else; `checked` where it is of another plan, or where an entry is something else
 */
export function readKept<File extends { readonly plan: object }>({ file, standard, format, formatVersion }: Kept) {
  if (!existsSync(file)) return undefined;
  const refuse = (what: string) => {
    const found = file === standard ? `${file}, the default,` : show(file);
    throw new UsageError(`--json: ${found} ${what}; name another file with --json FILE`);
  };
  let found: Partial<File> & { readonly format?: unknown; readonly formatVersion?: unknown };
  try {
    found = JSON.parse(readTextFile('json', file)) ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse(`is not JSON (${error.message})`);
  }
  return {
    /** @param entries what must be in it, beside the plan */
    checked(plan: File['plan'], entries: Partial<Readonly<Record<keyof File, Check>>>): File {
      const { format: ownFormat, formatVersion: ownVersion, plan: ownPlan } = found;
      if (ownFormat !== format || ownVersion !== formatVersion || typeof ownPlan !== 'object' || ownPlan === null) {
        return refuse('is no comparison of this version');
      }
      const difference = firstDifference(withLaterControls(ownPlan, plan), plan);
      if (difference) return refuse(`holds another comparison, with ${difference}`);
      for (const name of Object.keys(entries) as (keyof File & string)[]) {
        const problem = entries[name]?.(found[name], name);
        if (problem !== undefined) return refuse(`is no comparison: ${problem}`);
      }
      return found as File;
    },
  };
}

/** The text of the file that keeps the findings, with table and verdicts made from them. */
export function comparisonJson(findings: ComparisonFile): string {
  const { rules, device, plan, base, arms } = findings;
  const everyRule = [...new Set([...rules, ...arms.map(({ rule }) => rule)])];
  const table = comparisonTable(findings, everyRule);
  const head = { format: FORMAT, formatVersion: FORMAT_VERSION, version: version(), device, rules: everyRule };
  return `${JSON.stringify({ ...head, plan, base, table, verdicts: verdicts(findings), arms })}\n`;
}

/** A kept plan as one of this version: controls that came later had their defaults. */
function withLaterControls<Plan extends object>(found: Plan, plan: Plan): Plan {
  const { environment, controls } = plan as { environment?: EnvironmentName; controls?: ParameterValues };
  const usual = defaults(tablesOf(environment ?? DEFAULT_ENVIRONMENT).controls);
  const own = Object.keys(controls ?? {}).map((name) => [name, usual[name]] as const);
  return { ...found, controls: { ...Object.fromEntries(own), ...(found as { controls?: object }).controls } };
}

/** "steps 60, not 120": the first value in which two plans differ. */
function firstDifference(a: object, b: object, path = ''): string | undefined {
  const [left, right] = [a, b] as Record<string, unknown>[];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [old, now] = [left[name], right[name]];
    if (typeof old === 'object' && typeof now === 'object' && old !== null && now !== null) {
      const inner = firstDifference(old, now, `${path}${name}.`);
      if (inner) return inner;
    } else if (old !== now) return `${path}${name} ${shown(old)}, not ${shown(now)}`;
  }
  return undefined;
}
