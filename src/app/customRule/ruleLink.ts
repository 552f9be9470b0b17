import {
  type CustomRuleSource,
  decodeCustomRule,
  encodeCustomRule,
  isCustomRuleName,
} from '../../credit/rules/custom/customSource.ts';

/** Bytes of a rule in a link, compressed and written in letters. */
export const MAX_LINK_BYTES = 8_192;
/** Before the rule in the part of an address behind its #. */
const KEY = 'own=';
/** Bytes that a link may unpack to. */
const MAX_TEXT = 100_000;

/** A rule is too long for a link. */
export class LongLinkError extends Error {
  constructor(readonly bytes: number) {
    super(`${bytes} bytes`);
    this.name = 'LongLinkError';
  }
}

/** `#own=...`: the whole rule, compressed. @throws {LongLinkError} */
export async function ruleFragment(source: CustomRuleSource): Promise<string> {
  const text = new TextEncoder().encode(encodeCustomRule(source));
  const packed = await through(text, new CompressionStream('deflate-raw'));
  const letters = btoa(String.fromCharCode(...packed))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
  if (letters.length > MAX_LINK_BYTES) throw new LongLinkError(letters.length);
  return `#${KEY}${letters}`;
}

/** True if an address brings a rule. */
export function hasLinkedRule(hash: string): boolean {
  return hash.startsWith(`#${KEY}`);
}

/** Returns the rule of an address; undefined if the rule cannot be read. No part of the rule runs. */
export async function readFragment(hash: string): Promise<CustomRuleSource | undefined> {
  const letters = hash.slice(KEY.length + 1);
  if (!hasLinkedRule(hash) || letters.length > MAX_LINK_BYTES || !/^[\w-]+$/.test(letters)) return undefined;
  try {
    const packed = Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
    const text = new TextDecoder('utf-8', { fatal: true }).decode(
      await through(packed, new DecompressionStream('deflate-raw'), MAX_TEXT),
    );
    return isCustomRuleName(text) ? decodeCustomRule(text) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws {RangeError} where more comes out than may */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > limit) {
      await reader.cancel();
      throw new RangeError('too long');
    }
    parts.push(part.value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
