import { RESULTS } from 'virtual:lab';
import type { Claim } from '../../environments/claim.ts';
import { ENVIRONMENT_LIST, type EnvironmentName } from '../../environments/registry.ts';
import { ALL_CLAIMS } from '../../experiments/claims/claims.ts';
import type { ReaderState } from '../../experiments/claims/conclusionText.ts';
import type { ClaimSummary } from '../../experiments/claims/plot.ts';
import type { LabFilter } from './labAddress.ts';

/** Claim with its summary for lists. */
export interface ListedClaim {
  readonly claim: Claim;
  /** Summary of its result; undefined if docs/reference/lab has no file for the claim. */
  readonly summary: ClaimSummary | undefined;
}

/** All tested claims, in display order. */
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

/** Returns the names of the curves in the results of an environment. */
export function curvesOf(environment: EnvironmentName): readonly string[] {
  return DRAWN[environment] ?? [];
}

/** Returns the claims that match a filter. */
export function claimsIn(
  { author, state }: LabFilter,
  claims: readonly ListedClaim[] = CLAIMS,
): readonly ListedClaim[] {
  return claims.filter(
    (entry) =>
      (author === undefined || (entry.claim.paper ?? 'own') === author) &&
      (state === undefined || stateOf(entry) === state),
  );
}

/** Returns the state of a claim. A claim without a result file has the state `not run`. */
export const stateOf = ({ summary }: Pick<ListedClaim, 'summary'>): ReaderState => summary?.state ?? 'not run';
