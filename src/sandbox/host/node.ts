import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { addressOf } from './address.ts';
import { bundleWorker } from './bundle.ts';
import type { BootParts, GuestPlace, GuestWorker } from './guestWorker.ts';
import { unpackImage } from './imageFile.ts';
import { pythonImage } from './pythonImage.ts';
import { pythonModule } from './pythonModule.ts';

let text: Promise<string> | undefined;
let parts: Promise<BootParts> | undefined;

/** Worker threads of Node, without environment and streams; inside, the worker lets go of everything else. */
export function nodePlace(workers = availableParallelism()): GuestPlace {
  return { workers, open: () => new ThreadWorker(), parts: () => (parts ??= loadParts()) };
}

async function loadParts(): Promise<BootParts> {
  const { plain } = await pythonImage();
  const [module, image] = await Promise.all([pythonModule(), plain].map((file) => readFile(file)));
  // Compiled once: threads share the code.
  const wasm = await WebAssembly.compile(module as Uint8Array<ArrayBuffer>);
  return { wasm, image: unpackImage(image as Uint8Array<ArrayBuffer>) };
}

class ThreadWorker implements GuestWorker {
  onMessage: (message: unknown) => void = () => {};
  onEnd: (reason: string) => void = () => {};
  private worker: Worker | undefined;
  private ended = false;
  private readonly waiting: unknown[] = [];

  constructor() {
    text ??= bundleWorker();
    text.then(
      (code) => this.ended || this.start(code),
      (error) => this.onEnd(String(error)),
    );
  }

  post(message: unknown): void {
    if (this.worker) this.worker.postMessage(message);
    else this.waiting.push(message);
  }

  end(): void {
    this.ended = true;
    this.worker?.terminate();
  }

  private start(code: string): void {
    const worker = new Worker(addressOf(code), {
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      trackUnmanagedFds: true,
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 8 },
    });
    worker.on('message', (message) => this.onMessage(message));
    worker.on('messageerror', () => this.onMessage(undefined));
    // It is what the worker threw, and may be anything.
    worker.on(
      'error',
      (error: unknown) =>
        this.ended || this.onEnd(error instanceof Error ? String(error.message).slice(0, 300) : 'it threw'),
    );
    worker.on('exit', (code) => this.ended || this.onEnd(`exit code ${code}`));
    // A waiting worker does not keep the process alive; a running batch does, by its watchdog.
    worker.unref();
    for (const message of this.waiting.splice(0)) worker.postMessage(message);
    this.worker = worker;
  }
}
