import { expect, test } from 'vitest';
import { parameterDigest } from '../../../src/policy/checkpoint.ts';

/** Returns the float32 number whose bytes are four letters. */
const floatOf = (letters: string) => new Float32Array(new TextEncoder().encode(letters).buffer);

test('the digest of parameters is MurmurHash3 of their bytes', () => {
  expect(parameterDigest()).toBe(0);
  expect(parameterDigest(floatOf('test'))).toBe(0xba6bd213);
  expect(parameterDigest(Float32Array.of(1, -2, 0.5))).toBe(2527153090);
});

test('the digest of parameters depends on every bit and on the order, and not on the division into arrays', () => {
  const digest = parameterDigest(Float32Array.of(1, -0, 3));
  expect(parameterDigest(Float32Array.of(1), Float32Array.of(-0, 3))).toBe(digest);
  expect(parameterDigest(Float32Array.of(1, 0, 3))).not.toBe(digest);
  expect(parameterDigest(Float32Array.of(-0, 1, 3))).not.toBe(digest);
});

test('the digest of parameters is the same for every NaN', () => {
  const [positive, negative] = [Uint32Array.of(0x7fc00000), Uint32Array.of(0xffc00001)];
  expect(parameterDigest(new Float32Array(negative.buffer))).toBe(parameterDigest(new Float32Array(positive.buffer)));
});
