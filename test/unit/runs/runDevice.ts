import { nodeExactDevice } from '../../../src/cli/framework/node.ts';
import type { ExactDevice } from '../../../src/engine/exact/exactDevice.ts';

let opened: Promise<ExactDevice> | undefined;

/** Returns the exact device, which all runs of a test file share. */
export function testDevice(): Promise<ExactDevice> {
  opened ??= nodeExactDevice();
  return opened;
}
