import { RESULTS } from 'virtual:lab';
import type { Claim } from '../../environments/claim.ts';
import { ENVIRONMENT_LIST, type EnvironmentName } from '../../environments/registry.ts';
import { ALL_CLAIMS } from '../../experiments/claims/claims.ts';
import type { ReaderState } from '../../experiments/claims/reader.ts';
import type { ClaimSummary } from '../../experiments/claims/summary.ts';
import type { LabFilter } from './labAddress.ts';

/** A claim with what a list says of it. */
export interface ListedClaim {
  readonly claim: Claim;
  /** Undefined where docs/reference/lab has no file of it. */
  readonly summary: ClaimSummary | undefined;
}

/** All tested claims, in the order in which the Lab lists them. */
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

/** The claims that a filter lets through. */
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

/** A claim without a file was not run. */
export const stateOf = ({ summary }: Pick<ListedClaim, 'summary'>): ReaderState => summary?.state ?? 'not run';
