import { around, ending, mean } from '../statistics.ts';
import { type ArmResult, curve, type Findings } from './comparison.ts';

/** Steps of the table, besides the end. */
const STEPS = [0, 25, 50, 100];
/** A run whose tool use ends below this has lost the tool. */
export const COLLAPSED = 0.1;

/** One rule, means over its seeds. */
export interface TableRow {
  readonly rule: string;
  readonly seeds: number;
  /** One value for each of the table's steps, then the end. */
  readonly toolUse: readonly number[];
  readonly answer: readonly number[];
  /** Right answers to held-out questions after training. */
  readonly heldOut: number;
  /** Seeds whose tool use ended below COLLAPSED. */
  readonly collapsed: number;
}

export interface ComparisonTable {
  /** Steps of the columns; a last column tells where the curves end. */
  readonly steps: readonly number[];
  readonly rows: readonly TableRow[];
}

/** The table of a comparison, rules in the order asked for. */
export function comparisonTable(findings: Findings, rules: readonly string[]): ComparisonTable {
  const steps = STEPS.filter((step) => step === 0 || step < findings.plan.steps - 1);
  const rows = rules.flatMap((rule) => {
    const arms = findings.arms.filter((arm) => arm.rule === rule);
    return arms.length === 0 ? [] : [row(rule, arms, steps)];
  });
  return { steps, rows };
}

function row(rule: string, arms: readonly ArmResult[], steps: readonly number[]): TableRow {
  const over = (value: (arm: ArmResult) => number) => mean(arms.map(value));
  const columns = (name: string) => [
    ...steps.map((step) => over((arm) => around(curve(arm, name), step))),
    over((arm) => ending(curve(arm, name))),
  ];
  return {
    rule,
    seeds: arms.length,
    toolUse: columns('toolUse'),
    answer: columns('answer'),
    heldOut: over((arm) => arm.heldOut.answer),
    collapsed: arms.filter((arm) => ending(curve(arm, 'toolUse')) < COLLAPSED).length,
  };
}
