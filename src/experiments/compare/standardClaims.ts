import type { Claim, SeedsTest, SwitchTest } from '../../environments/claim.ts';
import type { BaseClaim, EnvironmentComparison } from '../../environments/declaredComparison.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { EVALUATION_NAMES } from '../../training/data/controls.ts';
import { plainWorld, standardRun, worldOf } from '../../training/data/worlds.ts';
import { ALL_CLAIMS } from '../claims/claims.ts';
import { computeFinalMean, mean } from '../statistics.ts';
import type { Arm } from './arms.ts';
import { inside } from './bounds.ts';
import type { TestedClaim } from './compared.ts';
import { type ArmRun, curveOf, type Findings } from './findings.ts';
import { switchRows, testSwitchClaims } from './switchTable.ts';

/**
 * Controls that can differ from the standard run in the test of a claim: the rule, which the arm determines, and the
 * measurements during training.
 */
const IGNORED: readonly string[] = ['rule', ...EVALUATION_NAMES];

/** World with its standard run and the claims about it. */
interface OfWorld {
  readonly world: string | undefined;
  readonly usual: RunConfiguration;
  readonly rates: readonly BaseClaim[];
  readonly seeds: readonly SeedsTest[];
  readonly switches: readonly SwitchTest[];
}

/** Returns the claims about the named world of a run, or about the plain world if the run has no named world. */
export function claimsOf(
  { warmStarts = [] }: Pick<EnvironmentComparison, 'warmStarts'>,
  run: Pick<RunConfiguration, 'environment' | 'settings'>,
): OfWorld {
  const world = worldOf(run) ?? plainWorld(run.environment);
  const tests = ALL_CLAIMS.flatMap((claim) => testsOf(claim, run.environment, world?.name));
  return {
    world: world?.name,
    usual: standardRun(run.environment, world),
    rates: warmStarts.find((warmStart) => warmStart.world === world?.name)?.rates ?? [],
    seeds: tests.flatMap((test) => (test.kind === 'seeds' ? [test] : [])),
    switches: tests.flatMap((test) => (test.kind === 'switch' ? [test] : [])),
  };
}

function testsOf({ experiments }: Claim, environment: string, world: string | undefined) {
  return experiments
    .filter((experiment) => experiment.environment === environment && experiment.world === world)
    .flatMap(({ tests }) => tests);
}

/**
 * Returns the first setting that differs from a standard run. `warmSeed` is ignored, because it does not identify the
 * world.
 */
export function firstChangedSetting(settings: ParameterValues, usual: RunConfiguration): string | undefined {
  return findDifference(settings, usual.settings, ['warmSeed']);
}

function findDifference(
  values: ParameterValues,
  usual: ParameterValues,
  ignored: readonly string[],
): string | undefined {
  return Object.keys(usual).find((name) => !ignored.includes(name) && values[name] !== usual[name]);
}

/** Returns the reason why findings cannot test claims about the standard run of a world; undefined if they can. */
function undecidable({ plan }: Findings, { world, usual }: OfWorld, updates: number): string | undefined {
  const difference =
    firstChangedSetting(plan.settings, usual) ?? findDifference(plan.controls, usual.controls, IGNORED);
  const subject = world === undefined ? 'the standard run' : `the standard run of the world ${world}`;
  if (difference) return `the claims are about ${subject}, and ${difference} is not standard here`;
  return plan.steps < updates ? `the claims are about ${updates} updates` : undefined;
}

/** Tests the claims about the warm start, about single rules and about switches, if the findings have runs for them. */
export function testStandardClaims(
  comparison: EnvironmentComparison,
  findings: Findings,
  arms: readonly Arm[],
): TestedClaim[] {
  const claims = claimsOf(comparison, findings.plan);
  const { seeds, steps } = comparison.standard;
  const reason = undecidable(findings, claims, steps);
  const requested = new Set(arms.map(({ name }) => name));
  // Claims are about rules with unchanged controls. The name of such an arm is the name of its rule.
  const runsOf = (rule: string) => findings.runs.filter(({ arm }) => arm.name === rule && requested.has(rule));
  const ofRules = claims.seeds.flatMap((claim): TestedClaim[] => {
    const runs = runsOf(claim.rule);
    return runs.length === 0 ? [] : [concludeSeeds(claim, runs, seeds, reason)];
  });
  // These claims do not depend on the number of updates: a warm start is not trained further, and a switch claim has
  // its own limit.
  const always = undecidable(findings, claims, 0);
  return [
    ...concludeBase(claims.rates, findings, always),
    ...ofRules,
    ...testSwitchClaims(claims.switches, switchRows(findings, arms), findings.plan, { seeds, undecided: always }),
  ];
}

/**
 * Returns true if the final means of a run's curves and the measurements of its policy are within the bounds of a test.
 */
export function meetsBounds({ ends = {}, measured = {} }: Pick<SeedsTest, 'ends' | 'measured'>, run: ArmRun): boolean {
  return (
    Object.entries(ends).every(([metric, bounds]) => inside(bounds, computeFinalMean(curveOf(run, metric)))) &&
    Object.entries(measured).every(([name, bounds]) => inside(bounds, run.heldOut[name] ?? NaN))
  );
}

function concludeSeeds(
  { statement, share, ends = {}, measured = {} }: SeedsTest,
  runs: readonly ArmRun[],
  seeds: number,
  undecided: string | undefined,
): TestedClaim {
  const count = runs.filter((run) => meetsBounds({ ends, measured }, run)).length;
  const required = Math.floor(share * runs.length + 1e-9) + 1;
  const reason = undecided ?? (runs.length < seeds ? `the claim is about ${seeds} seeds` : undefined);
  const result = `${count} of ${runs.length} seeds, ${required} needed`;
  if (reason) return { statement, status: 'open', finding: result, reason };
  return { statement, status: count >= required ? 'reproduced' : 'not reproduced', finding: result };
}

function concludeBase(
  claims: readonly BaseClaim[],
  findings: Findings,
  undecided: string | undefined,
): readonly TestedClaim[] {
  if (findings.base.length === 0) return [];
  return claims
    .filter(({ required }) => required)
    .map((claim) => {
      const value = mean(findings.base.map(({ measured }) => measured[claim.rate] ?? NaN));
      const statement = `Warm start, ${claim.label}: ${claim.from} to ${claim.to}`;
      const result = value.toFixed(3);
      if (undecided) return { statement, status: 'open', finding: result, reason: undecided };
      return { statement, status: inside(claim, value) ? 'reproduced' : 'not reproduced', finding: result };
    });
}
