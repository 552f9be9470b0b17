import { createSnapshot } from './snapshot.ts';

/**
 * Entry point of the thread in Node that creates the image of a started interpreter. It receives the parts of the
 * interpreter and posts the image.
 */
async function createImage(): Promise<void> {
  const { parentPort, workerData } = await import('node:worker_threads');
  if (!parentPort) throw new Error('this script must run in a worker thread');
  // Emscripten treats a realm with `process` as Node and imports the modules of Node. Pyodide does not start if scripts
  // can be loaded by name.
  Reflect.deleteProperty(globalThis, 'process');
  Object.assign(globalThis, { WorkerGlobalScope: class {}, importScripts: undefined });
  // The fixed time makes the timestamps of created files reproducible.
  Date.now = () => 0;
  const { image } = await createSnapshot(workerData);
  parentPort.postMessage(image);
}

void createImage();
