import { readFileSync } from 'node:fs';

/** A run whose parameters have the same bits on each machine. */
export interface DigestCase {
  readonly name: string;
  /** Query of the address that opens the run. */
  readonly query: string;
  /** Digests of the parameters (metric `parameterDigest`), one for each number of updates in `DIGEST_STEPS`. */
  readonly digests: readonly number[];
}

/**
 * Runs with the digests of the exact engine, `exact/1`. If a change of the engine changes the digests, increase the
 * number of the engine (docs/develop/decisions/025-exact-engine.md) and state the reason in the commit. The script
 * `smoke` also reads this file.
 */
export const { steps: DIGEST_STEPS, cases: DIGEST_CASES } = JSON.parse(
  readFileSync(new URL('cases.json', import.meta.url), 'utf8'),
) as { readonly steps: readonly number[]; readonly cases: readonly DigestCase[] };
