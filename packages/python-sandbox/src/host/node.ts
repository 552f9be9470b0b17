import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ImageParts } from '../guest/image.ts';
import { bundleWorker } from './bundle.ts';
import { unpackImage } from './imageFile.ts';
import { addressOf, pythonImage, pythonModule } from './pythonFiles.ts';
import type { WorkerEvents, WorkerHandle, WorkerSource } from './sandboxWorker.ts';

let text: Promise<string> | undefined;
let parts: Promise<ImageParts> | undefined;

/** Creates a source of threads without environment variables and streams. The worker removes all other access. */
export function createNodeSource(workers = availableParallelism()): WorkerSource {
  return { workers, open: openThread, parts: () => (parts ??= loadParts()) };
}

async function loadParts(): Promise<ImageParts> {
  const { plain } = await pythonImage();
  const [module, image] = await Promise.all([pythonModule(), plain].map((file) => readFile(file)));
  // The module is compiled once, because threads share compiled code.
  const wasm = await WebAssembly.compile(module as Uint8Array<ArrayBuffer>);
  return { wasm, image: unpackImage(image as Uint8Array<ArrayBuffer>) };
}

async function openThread({ message, end }: WorkerEvents): Promise<WorkerHandle> {
  text ??= bundleWorker();
  const worker = new Worker(addressOf(await text), {
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    trackUnmanagedFds: true,
    resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 8 },
  });
  worker.on('message', message);
  worker.on('messageerror', () => message(undefined));
  // The value that the worker threw can be of any type.
  worker.on('error', (error: unknown) =>
    end(error instanceof Error ? String(error.message).slice(0, 300) : 'it threw'),
  );
  worker.on('exit', (code) => end(`exit code ${code}`));
  // An idle worker does not prevent Node from exiting. During a batch, timers of the sandbox keep Node running.
  worker.unref();
  return {
    post: (sent) => worker.postMessage(sent),
    end: () => void worker.terminate(),
  };
}
