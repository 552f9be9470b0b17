import { readFileSync } from 'node:fs';

/** A run of which every machine computes the same bits. */
export interface DigestCase {
  readonly name: string;
  /** Query of the page's address. */
  readonly query: string;
  /** Digests of the parameters (the metric `parameterDigest`) after so many updates as `DIGEST_STEPS` says. */
  readonly digests: readonly number[];
}

/**
 * Digests of the exact engine, `exact/1`. Other digests are another engine: raise its number (docs/develop/decisions/025-exact-engine.md)
 * and say why in the commit. The script `smoke` reads the same file.
 */
export const { steps: DIGEST_STEPS, cases: DIGEST_CASES } = JSON.parse(
  readFileSync(new URL('cases.json', import.meta.url), 'utf8'),
) as { readonly steps: readonly number[]; readonly cases: readonly DigestCase[] };
