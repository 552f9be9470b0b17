import { type Experiment, PAPERS, type PairedTest, type RunValue, type Side } from '../../environments/claim.ts';
import { plainWorld, worldOf } from '../../training/data/worlds.ts';
import { ALL_CLAIMS } from '../claims/claims.ts';
import { judge } from '../claims/judge.ts';
import { standardDeviation } from '../statistics.ts';
import type { Arm } from './arms.ts';
import { readValue } from './columns.ts';
import type { TestedClaim } from './compared.ts';
import type { ComparisonPlan, Findings } from './findings.ts';

/** Arms of the two sides of a test. A number in the test is used as the value of its side. */
export interface Paired {
  readonly test: PairedTest;
  readonly higher: Arm | number;
  readonly lower: Arm | number;
  /** Subtracted sides; absent if the test subtracts none. `runs` is absent if they have the runs of the other sides. */
  readonly less?: { readonly higher: Arm | number; readonly lower: Arm | number; readonly runs?: Runs };
}

type Runs = Pick<Findings, 'plan' | 'runs'>;

/** Arms and runs of another experiment of a claim. */
export interface Elsewhere extends Runs {
  readonly arms: readonly Arm[];
}

/** Tests the paired claims for which the findings have runs of both arms. */
export function testPairedClaims(findings: Findings, arms: readonly Arm[]): TestedClaim[] {
  const isAbout = aboutPlan(findings.plan);
  const tests = ALL_CLAIMS.flatMap(({ paper, experiments }) =>
    experiments
      .filter(isAbout)
      .flatMap(({ tests }) =>
        tests.flatMap((test) =>
          test.kind === 'paired' && ofTwo(test) ? [{ test, before: paper ? `${PAPERS[paper].name}: ` : '' }] : [],
        ),
      ),
  );
  const visited = new Set<string>();
  return tests.flatMap(({ test, before }) => {
    // Several experiments can have the same statement about the same arms.
    if (visited.has(test.statement)) return [];
    visited.add(test.statement);
    return pairsOf(test, arms).flatMap((paired) => {
      const differences = differencesOf(paired, findings).map(({ difference }) => difference);
      return differences.length === 0 ? [] : [createConclusion(paired, before, differences)];
    });
  });
}

/** Returns a predicate: true if a plan has the world of an experiment and the values that all its arms share. */
function aboutPlan(plan: ComparisonPlan): (experiment: Experiment) => boolean {
  const planWorld = worldOf(plan) ?? plainWorld(plan.environment);
  const values = { ...plan.settings, ...plan.controls };
  return ({ environment, world, settings, controls }) =>
    environment === plan.environment &&
    (world === undefined || world === planWorld?.name) &&
    Object.entries({ ...settings, ...controls }).every(([name, value]) => values[name] === value);
}

/**
 * Returns true if a test compares two different arms and is not about times. Times require separate runs on an idle
 * machine.
 */
function ofTwo({ higher, lower, unit }: PairedTest): boolean {
  return typeof higher === 'object' && typeof lower === 'object' && !same(higher, lower) && unit !== 'ms';
}

function same(first: Side | number, second: Side | number): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

/**
 * Returns the pairs of arms that match the two sides of a test.
 * @param elsewhere returns another experiment by name; without it, tests that refer to one have no pairs
 */
export function pairsOf(
  test: PairedTest,
  arms: readonly Arm[],
  elsewhere?: (name: string) => Elsewhere | undefined,
): readonly Paired[] {
  const of = (side: Side | number) => (typeof side === 'number' ? [side] : arms.filter((arm) => fits(arm, side)));
  const { less, higher, lower } = test;
  const pairs = of(higher).flatMap((one) =>
    same(higher, lower) ? [{ first: one, second: one }] : of(lower).map((other) => ({ first: one, second: other })),
  );
  if (!less) return pairs.map(({ first: one, second: other }) => ({ test, higher: one, lower: other }));
  const meanElsewhere = less.in === undefined ? undefined : elsewhere?.(less.in);
  const known = less.in === undefined ? arms : (meanElsewhere?.arms ?? []);
  const [first, second] = [less.higher, less.lower].map((side) =>
    typeof side === 'number' ? side : known.find((arm) => fits(arm, side)),
  );
  if (first === undefined || second === undefined) return [];
  const subtracted = { higher: first, lower: second, ...(meanElsewhere ? { runs: meanElsewhere } : {}) };
  return pairs.map(({ first: one, second: other }) => ({ test, higher: one, lower: other, less: subtracted }));
}

/** Returns true if an arm has the rule and exactly the changed parameters of a side, and no switch. */
export function fits({ rule, changes, switch: change }: Arm, side: Side): boolean {
  if (change) return false;
  const expected = Object.entries(side.changes);
  const equal = expected.every(([name, value]) => changes[name] === value);
  return rule === side.rule && equal && Object.keys(changes).length === expected.length;
}

/** Computes the difference of the two sides at each seed for which all arms have runs. */
export function differencesOf(
  { test, higher, lower, less }: Paired,
  current: Runs,
): readonly { readonly seed: number; readonly difference: number }[] {
  const seeds = [...new Set(current.runs.map(({ seed }) => seed))].sort((a, b) => a - b);
  const at = (arm: Arm | number, value: RunValue, seed: number, from = current) => {
    const armValue = valueAt(arm, value, seed, from);
    return Number.isNaN(armValue) || typeof arm === 'number' ? armValue : counted(armValue);
  };
  const subtractedValue = test.lessOf ?? test.of;
  const counted = (value: number) => (test.binary === undefined ? value : Number(value > test.binary));
  return seeds.flatMap((seed) => {
    const first = at(higher, test.of, seed) - at(lower, test.lowerOf ?? test.of, seed);
    const second = less
      ? at(less.higher, subtractedValue, seed, less.runs) - at(less.lower, subtractedValue, seed, less.runs)
      : 0;
    const difference = first - second;
    return Number.isFinite(difference) ? [{ seed, difference }] : [];
  });
}

/** Returns the value of an arm at a seed; NaN if the arm has no run at the seed. */
function valueAt(arm: Arm | number, value: RunValue, seed: number, { plan, runs }: Runs): number {
  if (typeof arm === 'number') return arm;
  const run = runs.find((item) => item.seed === seed && item.arm.name === arm.name);
  return run ? readValue(value, run, plan) : NaN;
}

function createConclusion({ test }: Paired, before: string, differences: readonly number[]): TestedClaim {
  const statement = `${before}${test.statement}`;
  const { status, mean, high } = judge(test, differences);
  const least = test.hypothesis === 'more' ? test.margin : -test.margin;
  const above = differences.filter((difference) => difference > least).length;
  const format = (value: number) => (test.unit ? value.toFixed(2) : (100 * value).toFixed(1));
  const [signed, unit, seeds] = [`${mean < 0 ? '' : '+'}${format(mean)}`, test.unit ?? 'points', differences.length];
  if (seeds === 1) {
    return { statement, status, finding: `${signed} ${unit} on 1 seed`, reason: 'one seed is not enough' };
  }
  const deviation = format(standardDeviation(differences));
  const finding = `${signed} ± ${deviation} ${unit}, ${above} of ${seeds} seeds, 95 % interval ± ${format(high - mean)}`;
  if (status !== 'open') return { statement, status, finding };
  return {
    statement,
    status,
    finding,
    reason: 'the 95 % interval of the difference includes values on both sides of its margin; more seeds are needed',
  };
}
