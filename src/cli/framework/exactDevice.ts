import { readFile } from 'node:fs/promises';
import { compiledKernels } from '../../engine/exact/compile.ts';
import { ExactDevice } from '../../engine/exact/exactDevice.ts';

/** Opens the processor as a device in Node. It compiles the kernels if that has not been done for their sources. */
export async function nodeExactDevice(): Promise<ExactDevice> {
  return ExactDevice.open(await readFile(await compiledKernels()));
}
