import { RESULTS } from 'virtual:lab';
import type { Claim } from '../../environments/claim.ts';
import { ENVIRONMENT_LIST, type EnvironmentName } from '../../environments/registry.ts';
import { ALL_CLAIMS } from '../../experiments/claims/claims.ts';
import type { Status } from '../../experiments/claims/judge.ts';
import type { ExperimentSummary } from '../../experiments/claims/summary.ts';
import { type LabFilter, VERDICTS, type Verdict } from './labAddress.ts';

/** A claim with what a list says of it. */
export interface ListedClaim {
  readonly claim: Claim;
  /** Undefined where docs/lab has no file of it. */
  readonly summary: readonly ExperimentSummary[] | undefined;
}

/** Everything that is put to the test, in the order in which it is told. */
export const CLAIMS: readonly ListedClaim[] = ALL_CLAIMS.map((claim) => ({
  claim,
  summary: RESULTS[claim.id]?.summary,
}));

const DRAWN: Readonly<Record<string, readonly string[] | undefined>> = Object.fromEntries(
  await Promise.all(
    ENVIRONMENT_LIST.map(
      async ({ name, comparison }) =>
        [name, (await comparison?.())?.comparison.drawing.panels.map(({ metric }) => metric) ?? []] as const,
    ),
  ),
);

/** The curves that results keep of an environment. */
export function curvesOf(environment: EnvironmentName): readonly string[] {
  return DRAWN[environment] ?? [];
}

/** How many tests of an experiment end how, those that there are. */
export function countedVerdicts(verdicts: readonly Status[]): readonly (readonly [Verdict, number])[] {
  if (verdicts.length === 0) return [['not run', 0]];
  return VERDICTS.flatMap((verdict) => {
    const count = verdicts.filter((one) => one === verdict).length;
    return count > 0 ? [[verdict, count] as const] : [];
  });
}

/** Every verdict that some test of a claim has. */
export function verdictsIn({ summary }: Pick<ListedClaim, 'summary'>): readonly Verdict[] {
  const recent = summary?.filter(({ edition }) => edition === undefined) ?? [];
  if (recent.length === 0) return ['not run'];
  const found = new Set(recent.flatMap(({ verdicts }) => countedVerdicts(verdicts).map(([verdict]) => verdict)));
  return VERDICTS.filter((verdict) => found.has(verdict));
}

/** The claims that a filter lets through. */
export function claimsIn(
  { author, verdict }: LabFilter,
  claims: readonly ListedClaim[] = CLAIMS,
): readonly ListedClaim[] {
  return claims.filter(
    (one) =>
      (author === undefined || (one.claim.paper ?? 'own') === author) &&
      (verdict === undefined || verdictsIn(one).includes(verdict)),
  );
}
