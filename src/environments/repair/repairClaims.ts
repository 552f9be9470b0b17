import type { Claim } from '../claim.ts';
import { MURPHY_CLAIMS } from './murphyClaims.ts';
import { REFINEMENT_FINDINGS } from './refinementClaims.ts';
import { VERPO_CLAIMS } from './verpoClaims.ts';

/** What Murphy and VeRPO claim, and what we ask ourselves. */
export const CLAIMS: readonly Claim[] = [...MURPHY_CLAIMS, ...VERPO_CLAIMS];
export const FINDINGS = REFINEMENT_FINDINGS;
