import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { RULES } from '../../credit/rules.ts';
import { EXPERT_ARM } from '../../experiments/compare/expertArm.ts';
import { show } from '../../rollouts/quoting.ts';

// Requirements for the entries of a file of findings. The program writes the entries itself, but users edit such files
// and merge files of several machines. A table over invalid entries would be wrong without a warning.

/** Check of a value. Returns the error with the path of the value, or undefined if the value is valid. */
export type Check = (value: unknown, path: string) => string | undefined;

const NAMES = RULES.map(({ name }) => name);

const of =
  (noun: string, fits: (value: unknown) => boolean): Check =>
  (value, path) => {
    if (fits(value)) return undefined;
    return `${path} ${value === undefined ? 'is missing' : `is ${show(value)}, not ${noun}`}`;
  };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const TEXT = of('a text', (value) => typeof value === 'string');
const RULE = of('a credit rule', (value) => NAMES.includes(value as string) || isCustomRuleName(String(value)));
const COUNT = of('a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
/** Check of a measurement. A rate over zero cases is NaN, which JSON stores as null. */
const MEASURED = of('a number or null', (value) => value === null || Number.isFinite(value));
const SETTING = of('a number or a text', (value) => Number.isFinite(value) || typeof value === 'string');

/** Creates the check of a list whose entries all pass `entry`. */
export function listOf(entry: Check): Check {
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
export const ARM: Check = (value, path) =>
  NAMED_ARM(value, path) ??
  (isRecord(value) && value.switch !== undefined ? SWITCH(value.switch, `${path}.switch`) : undefined);
export const BASE_RUN = fields({ seed: COUNT, digest: TEXT, measured: MEASUREMENTS });
const PROVENANCE = fields({ version: TEXT, device: TEXT, code: recordOf(TEXT), again: OPTIONAL_COUNT });
const OPTIONAL_PROVENANCE: Check = (value, path) => (value === undefined ? undefined : PROVENANCE(value, path));
export const ARM_RUN = fields({
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
