import type { PolicyState } from './policy.ts';
import type { PolicyConfiguration } from './policyConfiguration.ts';
import { parameterLayout } from './weights.ts';

/**
 * Computes a digest of parameters: MurmurHash3 (32 bits, seed 0) over the bits of all numbers in order. Equal
 * parameters have equal digests in all browsers and on all processors. All NaN values count as equal.
 * @param arrays for example the parameters of the policy, then the parameters of the critic
 * @returns a whole number from 0 to 2³² − 1
 */
export function parameterDigest(...arrays: readonly Float32Array[]): number {
  let hash = 0;
  let bytes = 0;
  for (const array of arrays) {
    const blocks = new Uint32Array(array.buffer, array.byteOffset, array.length);
    for (let i = 0; i < array.length; i++) {
      let block = Number.isNaN(array[i]) ? CANONICAL_NAN : blocks[i];
      block = Math.imul(block, 0xcc9e2d51);
      block = Math.imul((block << 15) | (block >>> 17), 0x1b873593);
      hash ^= block;
      hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
    }
    bytes += array.byteLength;
  }
  hash ^= bytes;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const CANONICAL_NAN = 0x7fc00000;

/** Computes the digest of a state: the policy's parameters, then the critic's if there is one. Padding is excluded. */
export function stateDigest(
  config: PolicyConfiguration,
  { parameters, critic }: Pick<PolicyState, 'parameters' | 'critic'>,
): number {
  const { size } = parameterLayout(config);
  const valued = parameterLayout({ ...config, valueHead: true });
  return parameterDigest(parameters.subarray(0, size), ...(critic ? [critic.parameters.subarray(0, valued.size)] : []));
}
