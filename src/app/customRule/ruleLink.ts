import {
  type CustomRuleSource,
  decodeCustomRule,
  encodeCustomRule,
  isCustomRuleName,
} from '../../credit/rules/custom/customRule.ts';

/** Maximum size of a rule in a link, compressed and base64-encoded [bytes]. */
export const MAX_LINK_BYTES = 8_192;
/** Prefix of the rule in the address, after `#`. */
const KEY = 'own=';
/** Maximum size of a decompressed rule [bytes]. */
const MAX_TEXT = 100_000;

/** Error for a rule that is too long for a link. */
export class LongLinkError extends Error {
  constructor(readonly bytes: number) {
    super(`${bytes} bytes`);
    this.name = 'LongLinkError';
  }
}

/** Returns the fragment `#own=...` with the compressed rule. @throws {LongLinkError} if it exceeds MAX_LINK_BYTES */
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

/** Returns true if the fragment of an address has a rule. */
export function hasLinkedRule(hash: string): boolean {
  return hash.startsWith(`#${KEY}`);
}

/** Returns the rule in the fragment of an address, or undefined if it cannot be read. The rule does not run. */
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

/** Pipes bytes through a stream. @throws {RangeError} if the output exceeds `limit` [bytes] */
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
