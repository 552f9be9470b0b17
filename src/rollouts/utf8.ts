/** Error for bytes that are not UTF-8. The message names their format if the first bytes identify it. */
export class NotTextError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotTextError';
  }
}

/** Names and first bytes of file formats that users pass instead of text. */
const SIGNATURES: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ['gzip; unpack it first', [0x1f, 0x8b]],
  ['Zstandard; unpack it first', [0x28, 0xb5, 0x2f, 0xfd]],
  ['a ZIP archive; unpack it first', [0x50, 0x4b, 0x03, 0x04]],
  ['UTF-16, not UTF-8 text', [0xff, 0xfe]],
  ['UTF-16, not UTF-8 text', [0xfe, 0xff]],
  ['Parquet, not text', [0x50, 0x41, 0x52, 0x31]],
];

const DECODER = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes UTF-8 bytes, without a byte order mark at the start.
 * @throws {NotTextError} if the bytes are not UTF-8
 */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return DECODER.decode(bytes);
  } catch {
    const known = SIGNATURES.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
    throw new NotTextError(known?.[0] ?? 'not UTF-8 text');
  }
}
