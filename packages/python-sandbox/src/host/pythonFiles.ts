import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { ADDED_GLOBALS, countWork } from '../build/counting.ts';
import { markWrites } from '../build/marking.ts';
import { reserveStack } from '../build/stackFrames.ts';
import type { Image } from '../guest/image.ts';
import type { InterpreterParts } from '../guest/start.ts';
import { MARKS, STACK } from '../moduleLayout.ts';
import { bundleWorker, imageDigest } from './bundle.ts';
import { packImage } from './imageFile.ts';

/** Returns a data URL of a script, from which Node starts a worker. */
export function addressOf(code: string): URL {
  return new URL(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

const require = createRequire(import.meta.url);
/** SHA-256 of the Pyodide module for which the sandbox is written. */
const DIGEST = 'cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6';
/** Version of the rewritten module. Increase it if the passes change their output. */
const VERSION = 13;
/**
 * Changes that the module can make outside of memory: its mutable globals, which are restored, the globals of the
 * counter, and tables 1 and 2 of JavaScript objects.
 */
const ALLOWED = /^(store|range|global\.set (28[0-3]|142[46])|table\.(set|grow) [12])$/;

/** Reads a file of the installed Pyodide package. */
export function pyodideFile(name: 'pyodide.asm.wasm' | 'python_stdlib.zip'): Buffer {
  return readFileSync(require.resolve(`pyodide/${name}`));
}

/**
 * Returns the path of the interpreter's module, which marks its writes (markWrites) and counts its work (countWork).
 * The first call creates it from Pyodide's module in half a second, and stores it next to the installed packages.
 * @throws {Error} if the installed module is not the module for which the sandbox is written
 */
export function pythonModule(): string {
  const folder = join(dirname(require.resolve('pyodide/package.json')), '../.cache/turnwise');
  const file = join(folder, `pyodide-marked-${DIGEST.slice(0, 16)}-${VERSION}.wasm`);
  if (existsSync(file)) return file;
  const source = pyodideFile('pyodide.asm.wasm');
  const digest = createHash('sha256').update(source).digest('hex');
  if (digest !== DIGEST)
    throw new Error(`pyodide.asm.wasm is not the module that the sandbox was written for: its SHA-256 is ${digest}`);
  const { module, counts } = markWrites(reserveStack(countWork(source), STACK), {
    ...MARKS,
    memory: MARKS.memory / 65_536,
    foreign: ADDED_GLOBALS,
  });
  const unknown = Object.keys(counts).filter((name) => !ALLOWED.test(name));
  if (unknown.length > 0)
    throw new Error(`Python's module changes state that cannot be restored: ${unknown.join(', ')}`);
  mkdirSync(folder, { recursive: true });
  writeShared(file, module);
  return file;
}

/** Replaces a file atomically. Processes that write it at the same time write equal bytes. */
function writeShared(file: string, bytes: Uint8Array): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, bytes);
  renameSync(temporary, file);
}

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
