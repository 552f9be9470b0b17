import { nodeExactDevice } from '../../../src/cli/framework/exactDevice.ts';
import type { ExactDevice } from '../../../src/engine/exact/exactDevice.ts';

let opened: Promise<ExactDevice> | undefined;

/** The processor as the device of a test file's runs. */
export function testDevice(): Promise<ExactDevice> {
  opened ??= nodeExactDevice();
  return opened;
}
