import type { PairedClaim, Side } from '../../environments/declaredComparison.ts';
import { confidence, mean, standardDeviation } from '../statistics.ts';
import { readValue } from './columns.ts';
import type { Verdict } from './compared.ts';
import type { Arm, Findings } from './findings.ts';

/** Claims of which the findings have both arms, put to the test. */
export function pairedVerdicts(claims: readonly PairedClaim[], findings: Findings, arms: readonly Arm[]): Verdict[] {
  return claims.flatMap((claim) => {
    // Several arms may fit, murphy-mars:inter=1 and murphy-mars:inter=2: each is a test of its own.
    const of = (side: Side) => arms.filter((arm) => fits(arm, side));
    return of(claim.higher).flatMap((higher) =>
      of(claim.lower).flatMap((lower) => {
        const differences = paired(claim, findings, higher, lower);
        return differences.length === 0 ? [] : [verdict(claim, [higher, lower], differences)];
      }),
    );
  });
}

function fits({ rule, changes }: Arm, side: Side): boolean {
  const wanted = Object.entries(side.changes ?? {});
  const same = wanted.every(([name, value]) => name in changes && (value === true || changes[name] === value));
  return rule === side.rule && same && Object.keys(changes).length === wanted.length;
}

/** [seeds that both arms have] how far the one is above the other. */
function paired({ of }: PairedClaim, { plan, runs }: Findings, higher: Arm, lower: Arm): number[] {
  const ofArm = (name: string) => runs.filter(({ arm }) => arm.name === name);
  return ofArm(higher.name).flatMap((run) => {
    const other = ofArm(lower.name).find(({ seed }) => seed === run.seed);
    const difference = other ? readValue(of, run, plan) - readValue(of, other, plan) : NaN;
    return Number.isFinite(difference) ? [difference] : [];
  });
}

/**
 * A claim appears where the 95 % interval of the mean difference (Student's t over the seeds) lies above what it asks for; it
 * does not where the mean is no higher than that. Between the two, and on one seed, nothing is said.
 */
function verdict(
  { statement: general, higher, lower, margin = 0 }: PairedClaim,
  arms: readonly [Arm, Arm],
  differences: number[],
): Verdict {
  const of = [higher, lower].findIndex(({ changes = {} }) => Object.values(changes).includes(true));
  const statement = of < 0 ? general : `${general} (${arms[of]?.name})`;
  const [middle, deviation] = [mean(differences), standardDeviation(differences)];
  const above = differences.filter((difference) => difference > -margin).length;
  const points = (value: number) => (100 * value).toFixed(1);
  const signed = `${middle < 0 ? '' : '+'}${points(middle)}`;
  const seeds = differences.length;
  if (seeds === 1) {
    return { statement, status: 'undecided', found: `${signed} points on 1 seed`, reason: 'one seed decides nothing' };
  }
  const half = confidence(differences);
  const found = `${signed} ± ${points(deviation)} points, ${above} of ${seeds} seeds, 95 % interval ± ${points(half)}`;
  if (middle + margin <= 0) return { statement, status: 'does not appear', found };
  if (middle + margin > half) return { statement, status: 'appears', found };
  return {
    statement,
    status: 'undecided',
    found,
    reason: 'the 95 % interval of the difference is wider than the difference; it takes more seeds',
  };
}
