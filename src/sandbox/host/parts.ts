import image from 'virtual:python.image?url';
import wasm from 'virtual:python.wasm?url';
import type { ImageParts } from '../guest/image.ts';
import { unpackImage } from './imageFile.ts';

/** Receives the number of loaded bytes of the interpreter's files, and their total size if it is known. */
export type OnLoad = (bytes: number, total: number | undefined) => void;

let parts: Promise<ImageParts> | undefined;

/** Loads the interpreter's files from the site's origin, once in the page and once in each worker. */
export function siteParts(onLoad?: OnLoad): Promise<ImageParts> {
  parts ??= loadParts(onLoad).catch((error) => {
    // A later call retries, because the network can be available again.
    parts = undefined;
    throw error;
  });
  return parts;
}

async function loadParts(onLoad?: OnLoad): Promise<ImageParts> {
  const sizes: (number | undefined)[] = [];
  let bytes = 0;
  const load = async (address: string) => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`Python could not be loaded: ${response.status} ${response.statusText}`);
    const { body, headers } = response;
    if (!body || !onLoad) return response.arrayBuffer();
    // The length of a compressed response is not the length of the file.
    const length = headers.get('content-encoding') ? null : headers.get('content-length');
    sizes.push(length === null ? undefined : Number(length));
    const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onLoad(bytes, sizes.length === 2 ? sizes.reduce((a, b) => a && b && a + b) : undefined);
        controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(count)).arrayBuffer();
  };
  const [code, packed] = await Promise.all([load(wasm), load(image)]);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return { wasm: code, image: unpackImage(new Uint8Array(await new Response(unpacked).arrayBuffer())) };
}
