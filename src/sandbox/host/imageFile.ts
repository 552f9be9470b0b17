import type { Image } from '../guest/image.ts';

/** Bytes of the number that says how long the header is. */
const LENGTH = 4;

/** An image as bytes: the length of a header in JSON, the header, the memory. */
export function packImage({ memory, ...rest }: Image): Uint8Array {
  const header = new TextEncoder().encode(JSON.stringify(rest));
  const bytes = new Uint8Array(LENGTH + header.length + memory.length);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, LENGTH);
  bytes.set(memory, LENGTH + header.length);
  return bytes;
}

/** The way back. */
export function unpackImage(bytes: Uint8Array<ArrayBuffer>): Image {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = new TextDecoder().decode(bytes.subarray(LENGTH, LENGTH + length));
  // A copy of its own: its words begin at a multiple of four.
  return { ...JSON.parse(header), memory: bytes.slice(LENGTH + length) };
}
