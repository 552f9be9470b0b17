import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Hash, hash64, signatures } from '../../../src/rollouts/signatures.ts';

const key = (packed: Uint32Array, index: number) => `${packed[2 * index]} ${packed[2 * index + 1]}`;

/** Only 2 bits of the first hash, 64 of the second: nearly every string collides once. */
const weakFirst: Hash = (text, salt, into) => {
  hash64(text, salt, into);
  if (salt === 0) into.set([0, into[1] & 3]);
};

/** 4 bits whatever the salt. */
const weak: Hash = (text, salt, into) => {
  hash64(text, salt, into);
  into.set([0, into[1] & 15]);
};

describe.each([
  ['64 bits', hash64],
  ['a hash that collides', weakFirst],
] as const)('signatures by %s', (_, hash) => {
  test('are equal for equal strings alone', () => {
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

test('a collision is detected, and the later string is salted again', () => {
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

test('a hash with too few bits is refused, not used', () => {
  const texts = Array.from({ length: 17 }, (_, index) => `s${index}`);
  expect(() => signatures(texts, weak)).toThrow('the hash does not distinguish');
});

test('no strings', () => {
  expect(signatures([])).toEqual({ packed: new Uint32Array(), numbers: new Uint32Array(), distinct: 0 });
});

test('100,000 short strings that differ in little: no two share 64 bits, and every bit is used', () => {
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
    // A fair bit has a deviation of sqrt(100,000) / 2 = 158.
    expect(Math.abs(setBits - texts.length / 2)).toBeLessThan(1000);
  }
});
