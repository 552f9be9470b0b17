import { RESULTS } from 'virtual:lab';
import { type Claim, PAPERS, type Paper } from '../../environments/claim.ts';
import { ENVIRONMENT_LIST, type EnvironmentName } from '../../environments/registry.ts';
import { READER_STATES, type ReaderState } from '../../experiments/claims/conclusionText.ts';
import type { ClaimSummary } from '../../experiments/claims/plot.ts';
import { ALL_CLAIMS } from '../../experiments/claims/readClaims.ts';
import { writeViewAddress } from '../address/viewAddress.ts';

/** Author of the listed claims. */
export type Author = Paper | 'own';
export const AUTHORS: readonly Author[] = [...(Object.keys(PAPERS) as Paper[]), 'own'];

/** Filter of the listed claims. A filter without fields lists all claims. */
export interface LabFilter {
  readonly author?: Author | undefined;
  readonly state?: ReaderState | undefined;
}

/** Page of the Lab: overview, list of claims, or one claim. */
export type LabAddress =
  | { readonly shows: 'overview' }
  | { readonly shows: 'list'; readonly filter: LabFilter }
  | { readonly shows: 'claim'; readonly id: string };

/** Returns a state for an address, in which hyphens replace spaces. */
const slug = (state: ReaderState) => state.replaceAll(' ', '-');

/**
 * Reads the part of the address after `#lab/`: a claim, `claims`, or a filter such as `paper=t` and
 * `conclusion=in-part`. Never throws.
 */
export function readLab(path: readonly string[]): LabAddress {
  const [first] = path;
  if (first === undefined) return { shows: 'overview' };
  if (first !== 'claims' && !first.includes('=')) return { shows: 'claim', id: first.toLowerCase() };
  const values = new Map(path.map((part) => part.split('=', 2) as [string, string | undefined]));
  const [paper, conclusion] = [values.get('paper'), values.get('conclusion')];
  return {
    shows: 'list',
    filter: {
      author: AUTHORS.find((author) => author.toLowerCase() === paper?.toLowerCase()),
      state: READER_STATES.find((state) => slug(state) === conclusion),
    },
  };
}

/** Returns the address of a page of the Lab. */
export function writeLab(address: LabAddress): string {
  if (address.shows === 'claim') return writeViewAddress('lab', address.id);
  if (address.shows === 'overview') return writeViewAddress('lab');
  const { author, state } = address.filter;
  const parts = [author && `paper=${author.toLowerCase()}`, state && `conclusion=${slug(state)}`].flatMap(
    (part) => part ?? [],
  );
  return writeViewAddress('lab', ...(parts.length > 0 ? parts : ['claims']));
}

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
