import { createSnapshot } from '../src/sandbox/guest/snapshot.ts';

/** Entry point of the thread of Node in which the image of a started interpreter is made: it gets the interpreter's parts and posts the image. */
async function createImage(): Promise<void> {
  const { parentPort, workerData } = await import('node:worker_threads');
  if (!parentPort) throw new Error('this script must run in a worker thread');
  // Emscripten takes a realm with `process` for Node and would ask for its modules; Pyodide refuses to start where scripts can be loaded by name.
  Reflect.deleteProperty(globalThis, 'process');
  Object.assign(globalThis, { WorkerGlobalScope: class {}, importScripts: undefined });
  // Files get the time at which they are made.
  Date.now = () => 0;
  const { image } = await createSnapshot(workerData);
  parentPort.postMessage(image);
}

void createImage();
