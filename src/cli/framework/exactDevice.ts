import { readFile } from 'node:fs/promises';
import { compiledKernels } from '../../engine/exact/compile.ts';
import { ExactDevice } from '../../engine/exact/exactDevice.ts';

/** Opens the processor as a device in Node. Compiles the kernels if no compiled kernels of their sources exist. */
export async function nodeExactDevice(): Promise<ExactDevice> {
  return ExactDevice.open(await readFile(await compiledKernels()));
}
