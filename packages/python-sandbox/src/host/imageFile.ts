import type { Image } from '../guest/image.ts';

/** Size of the header length, and alignment of the memory in the file [bytes]. */
const [LENGTH, ALIGNMENT] = [4, 8];

/** Packs an image into bytes: the length of the header, a header in JSON, and the memory. */
export function packImage({ memory, ...rest }: Image): Uint8Array {
  const text = JSON.stringify(rest);
  const padding = (2 * ALIGNMENT - ((LENGTH + text.length) % ALIGNMENT)) % ALIGNMENT;
  const header = new TextEncoder().encode(text + ' '.repeat(padding));
  const bytes = new Uint8Array(LENGTH + header.length + memory.length);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, LENGTH);
  bytes.set(memory, LENGTH + header.length);
  return bytes;
}

/** Unpacks an image. Its memory is a view of the bytes. */
export function unpackImage(bytes: Uint8Array<ArrayBuffer>): Image {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = new TextDecoder().decode(bytes.subarray(LENGTH, LENGTH + length));
  return { ...JSON.parse(header), memory: bytes.subarray(LENGTH + length) };
}
