/** A run of which every machine computes the same bits. */
export interface DigestCase {
  readonly name: string;
  /** Query of the page's address. */
  readonly query: string;
  /** Digests of the parameters (the metric `parameterDigest`) after so many updates as `DIGEST_STEPS` says. */
  readonly digests: readonly number[];
}

/** Updates after which digests are compared. */
export const DIGEST_STEPS: readonly number[] = [1, 20];

/**
 * Digests of the exact engine, `exact/1`. Other digests are another engine: raise its number (docs/decisions/025-exact-engine.md)
 * and say why in the commit.
 */
export const DIGEST_CASES: readonly DigestCase[] = [
  { name: 'search, MT-GRPO', query: '?v=1&world=shortcut&rule=mt-grpo&seed=1', digests: [3626743903, 1448781285] },
  { name: 'search, MT-PPO', query: '?v=1&world=shortcut&rule=mt-ppo&seed=1', digests: [2160216382, 2167628215] },
  { name: 'repair, MaRS', query: '?v=1&environment=repair&rule=murphy-mars&seed=1', digests: [3291194128, 13004703] },
  { name: 'repository, RTMC', query: '?v=1&environment=repo&rule=rtmc&seed=1', digests: [1407080721, 1201030623] },
  { name: 'bandit, GRPO-OR', query: '?v=1&environment=bandit&rule=grpo-or&seed=1', digests: [2012633271, 1246802378] },
];
