import type { BaseClaim, Bounds, EnvironmentComparison, RuleClaim } from '../../environments/declaredComparison.ts';
import { defaults, type ParameterTable, type ParameterValues } from '../../parameters/parameters.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';
import { ending, mean } from '../statistics.ts';
import type { Verdict } from './compared.ts';
import { type Arm, type ArmRun, curveOf, type Findings } from './findings.ts';

/** Why findings can decide no claim about the standard run; undefined where they can. */
function undecidable({ plan }: Findings, updates: number): string | undefined {
  const { settings, controls } = tablesOf(plan.environment);
  const differs = (table: ParameterTable, values: ParameterValues, beside: string) =>
    Object.entries(defaults(table)).find(([name, value]) => name !== beside && values[name] !== value)?.[0];
  const other = differs(settings, plan.settings, 'warmSeed') ?? differs(controls, plan.controls, 'rule');
  if (other) return `the claims are about the standard run, and ${other} is not standard here`;
  return plan.steps < updates ? `the claims are about ${updates} updates` : undefined;
}

/** Puts the claims about the warm start and about single rules to the test, as far as the findings have something to say. */
export function standardVerdicts(
  { claims: { base = [], rules = [] }, standard: { seeds, steps } }: EnvironmentComparison,
  findings: Findings,
  arms: readonly Arm[],
): Verdict[] {
  const reason = undecidable(findings, steps);
  const asked = new Set(arms.map(({ name }) => name));
  // The claims are about rules as they are: an arm's name is its rule's where nothing is changed.
  const runsOf = (rule: string) => findings.runs.filter(({ arm }) => arm.name === rule && asked.has(rule));
  const ofRules = rules.flatMap((claim): Verdict[] => {
    const runs = runsOf(claim.rule);
    return runs.length === 0 ? [] : [ruleVerdict(claim, runs, seeds, reason)];
  });
  return [...baseVerdicts(base, findings), ...ofRules];
}

function ruleVerdict(
  { statement, share, ends }: RuleClaim,
  runs: readonly ArmRun[],
  seeds: number,
  undecided: string | undefined,
): Verdict {
  const holds = (run: ArmRun) =>
    Object.entries(ends).every(([metric, bounds]) => inside(bounds, ending(curveOf(run, metric))));
  const count = runs.filter(holds).length;
  const needed = Math.ceil(share * runs.length - 1e-9);
  const reason = undecided ?? (runs.length < seeds ? `the claim is about ${seeds} seeds` : undefined);
  const found = `${count} of ${runs.length} seeds, ${needed} needed`;
  if (reason) return { statement, status: 'undecided', found, reason };
  return { statement, status: count >= needed ? 'reproduced' : 'not reproduced', found };
}

function baseVerdicts(claims: readonly BaseClaim[], findings: Findings): Verdict[] {
  if (findings.base.length === 0) return [];
  // A warm start is not trained any further.
  const undecided = undecidable(findings, 0);
  return claims
    .filter(({ required }) => required)
    .map((claim) => {
      const value = mean(findings.base.map(({ measured }) => measured[claim.rate] ?? NaN));
      const statement = `Warm start, ${claim.label}: ${claim.from} to ${claim.to}`;
      const found = value.toFixed(3);
      if (undecided) return { statement, status: 'undecided', found, reason: undecided };
      return { statement, status: inside(claim, value) ? 'reproduced' : 'not reproduced', found };
    });
}

/** Whether a number is within bounds; NaN is not. */
export function inside(
  { above = -Infinity, below = Infinity, from = -Infinity, to = Infinity }: Bounds,
  value: number,
) {
  return value > above && value < below && value >= from && value <= to;
}
