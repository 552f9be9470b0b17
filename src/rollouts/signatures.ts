import { integerPower } from '../numbers/exponential.ts';

/** Signatures of a list of strings. Two signatures are equal if and only if their strings are equal. */
export interface Signatures {
  /** [2 x strings]: 64 bits per string as two 32-bit words, high then low. */
  readonly packed: Uint32Array;
  /** [strings]: index of the string among the different strings, in the order of first occurrence. */
  readonly numbers: Uint32Array;
  /** Number of different strings. */
  readonly distinct: number;
}

/** Function that writes a 64-bit hash of a string to `into`. A different salt results in different bits. */
export type Hash = (text: string, salt: number, into: Uint32Array) => void;

/** Maximum number of salts per string. A good hash needs far fewer. */
const MAX_SALTS = 16;

/**
 * Computes 64-bit signatures, by which the GPU sorts strings. If two different strings have equal hashes, the later
 * string is hashed with the next salt until its bits are unique. The time is linear in the length of the strings.
 *
 * @param hash another hash, for tests
 * @throws {Error} if two different strings have equal hashes under every salt
 */
export function signatures(texts: readonly string[], hash: Hash = hash64): Signatures {
  const packed = new Uint32Array(2 * texts.length);
  const numbers = new Uint32Array(texts.length);
  let distinct = 0;

  // Open addressing: each slot contains index + 1 of the first string with a signature, or 0.
  const mask = integerPower(2, 32 - Math.clz32(2 * texts.length)) - 1;
  const table = new Int32Array(mask + 1);
  const signature = new Uint32Array(2);
  const findSlot = () => {
    for (let at = signature[1] & mask; ; at = (at + 1) & mask) {
      const index = table[at] - 1;
      if (index < 0 || (packed[2 * index] === signature[0] && packed[2 * index + 1] === signature[1])) return at;
    }
  };

  texts.forEach((text, index) => {
    for (let salt = 0; salt < MAX_SALTS; salt++) {
      hash(text, salt, signature);
      const at = findSlot();
      const first = table[at] - 1;
      if (first >= 0 && texts[first] !== text) continue;
      if (first < 0) table[at] = index + 1;
      numbers[index] = first < 0 ? distinct++ : numbers[first];
      packed.set(signature, 2 * index);
      return;
    }
    throw new Error(`the hash does not distinguish ${JSON.stringify(text)} from other strings`);
  });
  return { packed, numbers, distinct };
}

/**
 * Hashes a string with two multiplicative hashes over its UTF-16 units: FNV-1a (Fowler, Noll, Vo), and one that rotates
 * its bits between units. The avalanche of MurmurHash3 (Appleby) then mixes both with the length and with each other.
 */
export const hash64: Hash = (text, salt, into) => {
  let high = 0x9e3779b9 ^ salt;
  let low = 0x811c9dc5 ^ salt;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(((high << 5) | (high >>> 27)) ^ unit, 0x2c1b3c6d);
    low = Math.imul(low ^ unit, 0x01000193);
  }
  high = avalanche(high ^ text.length);
  low = avalanche(low ^ high);
  into[0] = avalanche(high ^ low);
  into[1] = low;
};

function avalanche(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
