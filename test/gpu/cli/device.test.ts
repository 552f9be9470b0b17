import { expect, test } from 'vitest';
import { openNodeGpu } from '../../../src/cli/framework/node.ts';
import { NoWebGpuError } from '../../../src/gpu/device.ts';
import { testGpu } from '../gpu.ts';

test('a software renderer is accepted as an adapter but not as a graphics card', async () => {
  const { software } = await testGpu();
  const card = openNodeGpu(undefined, 'card').catch((error: unknown) => error);
  if (software) expect(await card).toBeInstanceOf(NoWebGpuError);
  else expect(await card).toHaveProperty('software', false);
});
