import { expect, test } from 'vitest';
import { openNodeGpu } from '../../../src/cli/framework/node.ts';
import type { Gpu } from '../../../src/gpu/device.ts';
import { fileLines, path, START, train } from '../../unit/cli/runs/trainCommand.ts';

test('a lost device ends the run with a message, and the written lines are complete', async () => {
  let gpu: Gpu | undefined;
  let message = '';
  const { code } = await train(`${START} --engine wgsl --steps 50 --at 2:alpha=0.5 --out ${path('lost')}`, {
    openGpu: async () => {
      gpu = await openNodeGpu();
      return gpu;
    },
    err: (text) => {
      message += text;
      if (text.startsWith('step 2: ')) gpu?.device.destroy();
    },
  });
  expect(code).toBe(1);
  expect(message).toMatch(/turnwise: the GPU device was lost/);
  const steps = fileLines('lost').map(({ step }) => step);
  expect(steps).toEqual([0, 1].slice(0, steps.length));
});
