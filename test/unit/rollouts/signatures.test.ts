import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Hash, hash64, signatures } from '../../../src/rollouts/signatures.ts';

const key = (packed: Uint32Array, index: number) => `${packed[2 * index]} ${packed[2 * index + 1]}`;

/** Hash with 2 bits for the first salt and 64 bits for later salts: nearly every string collides once. */
const weakFirst: Hash = (text, salt, into) => {
  hash64(text, salt, into);
  if (salt === 0) into.set([0, into[1] & 3]);
};

/** Hash with 4 bits for every salt. */
const weak: Hash = (text, salt, into) => {
  hash64(text, salt, into);
  into.set([0, into[1] & 15]);
};

describe.each([
  ['a 64-bit hash', hash64],
  ['a hash with collisions', weakFirst],
] as const)('signatures by %s', (_, hash) => {
  test('signatures are equal only for equal strings', () => {
    const texts = fc.array(fc.oneof(fc.constantFrom('', 'a', 'b', 'ab', 'ba'), fc.string()), { maxLength: 60 });
    fc.assert(
      fc.property(texts, (all) => {
        const { packed, numbers, distinct } = signatures(all, hash);
        expect(distinct).toBe(new Set(all).size);
        const first = [...new Set(all)];
        expect([...numbers]).toEqual(all.map((text) => first.indexOf(text)));
        const keys = new Map(all.map((text, index) => [text, key(packed, index)]));
        expect(new Set(keys.values()).size).toBe(distinct);
        all.forEach((text, index) => {
          expect(key(packed, index)).toBe(keys.get(text));
        });
      }),
    );
  });
});

test('signatures detects a collision and hashes the later string with the next salt', () => {
  const salts: [string, number][] = [];
  const hash: Hash = (text, salt, into) => {
    salts.push([text, salt]);
    hash64(text, salt, into);
    if (salt === 0) into.set([7, 7]);
  };
  const { packed } = signatures(['one', 'two', 'one', 'two', 'three'], hash);
  expect([...packed.subarray(0, 2)]).toEqual([7, 7]);
  expect([0, 2].map((index) => key(packed, index))).toEqual(['7 7', '7 7']);
  expect(key(packed, 1)).toBe(key(packed, 3));
  expect(new Set([0, 1, 4].map((index) => key(packed, index))).size).toBe(3);
  expect(salts).toEqual([
    ['one', 0],
    ['two', 0],
    ['two', 1],
    ['one', 0],
    ['two', 0],
    ['two', 1],
    ['three', 0],
    ['three', 1],
  ]);
});

test('signatures throws an error for a hash with too few bits', () => {
  const texts = Array.from({ length: 17 }, (_, index) => `s${index}`);
  expect(() => signatures(texts, weak)).toThrow('the hash does not distinguish');
});

test('signatures of no strings is empty', () => {
  expect(signatures([])).toEqual({ packed: new Uint32Array(), numbers: new Uint32Array(), distinct: 0 });
});

test('100,000 similar short strings have different signatures of 64 bits, and every bit is used', () => {
  const texts = Array.from({ length: 100_000 }, (_, index) => `state ${index}`);
  let hashes = 0;
  const { packed, distinct } = signatures(texts, (text, salt, into) => {
    hashes++;
    hash64(text, salt, into);
  });
  expect([distinct, hashes]).toEqual([texts.length, texts.length]);
  for (let bit = 0; bit < 64; bit++) {
    let setBits = 0;
    for (let index = bit >> 5; index < packed.length; index += 2) setBits += (packed[index] >>> (bit & 31)) & 1;
    // The number of set bits of a fair bit has the standard deviation sqrt(100,000) / 2 = 158.
    expect(Math.abs(setBits - texts.length / 2)).toBeLessThan(1000);
  }
});
