import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import type { Image } from '../guest/image.ts';
import type { InterpreterParts } from '../guest/start.ts';
import { addressOf } from './address.ts';
import { bundleWorker, imageDigest } from './bundle.ts';
import { packImage } from './imageFile.ts';
import { pyodideFile, pythonModule, writeShared } from './pythonModule.ts';

/**
 * Returns the files with the image of a started interpreter (guest/image.ts), uncompressed and compressed. They are
 * created at the first call after a change of the guest folder, in a few seconds. They are stored next to the
 * interpreter's module.
 */
export async function pythonImage(): Promise<{ readonly plain: string; readonly packed: string }> {
  const module = pythonModule();
  const digest = createHash('sha256').update(basename(module)).update(imageDigest()).digest('hex');
  const name = join(dirname(module), `python-image-${digest.slice(0, 16)}`);
  const files = { plain: `${name}.bin`, packed: `${name}.gz.bin` };
  // The compressed file is written last, so if it exists, both files are complete.
  if (existsSync(files.packed)) return files;
  const image = packImage(await createPythonImage());
  writeShared(files.plain, image);
  writeShared(files.packed, gzipSync(image));
  return files;
}

/** Starts an interpreter without an image in a separate thread, because Emscripten leaves global data behind. */
export async function createPythonImage(): Promise<Image> {
  const workerData: InterpreterParts = {
    wasm: new Uint8Array(readFileSync(pythonModule())).buffer,
    library: new Uint8Array(pyodideFile('python_stdlib.zip')),
  };
  const code = await bundleWorker('pythonImage');
  const worker = new Worker(addressOf(code), { workerData, env: {}, stdout: true, stderr: true });
  try {
    return await new Promise((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('the interpreter did not start')));
    });
  } finally {
    await worker.terminate();
  }
}
