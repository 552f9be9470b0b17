import { afterEach, expect, test } from 'vitest';
import { openNodeGpu } from '../../../src/cli/framework/node.ts';
import { WgslDevice } from '../../../src/engine/wgsl/wgslEngine.ts';
import { timeless } from '../../timeless.ts';
import { Page } from '../../unit/runs/sessionPage.ts';

/** Devices that the current test opened; they are destroyed after the test. */
const devices: WgslDevice[] = [];
afterEach(() => {
  for (const device of devices.splice(0)) device.destroy();
});

async function openWebGpu(): Promise<WgslDevice> {
  const device = new WgslDevice(await openNodeGpu());
  devices.push(device);
  return device;
}

test('a device opened in advance compiles each kernel of the run once, and the run starts on it', async () => {
  const compiled: string[] = [];
  let count = 0;
  const openDevice = async () => {
    count++;
    const opened = await openWebGpu();
    const { device } = opened.gpu;
    const create = device.createComputePipelineAsync.bind(device);
    device.createComputePipelineAsync = (descriptor) => {
      compiled.push(`${descriptor.label} ${JSON.stringify(descriptor.compute.constants)}`);
      return create(descriptor);
    };
    return opened;
  };
  const page = new Page({ openDevice });
  page.send({ type: 'prepare' });
  while (!compiled.some((kernel) => kernel.startsWith('policy/adamw'))) await new Promise(setImmediate);
  expect(page.messages).toEqual([]);
  const ahead = compiled.length;
  page.start();
  await page.steps(1);
  expect(count).toBe(1);
  expect(new Set(compiled).size).toBe(compiled.length);
  // `prepare` compiles the kernels of every policy.
  expect(compiled.slice(ahead).filter((kernel) => kernel.startsWith('policy/sample'))).toEqual([]);
  expect(page.metrics).toHaveLength(1);
});

test('a lost WebGPU device is reopened, and the curve equals that of an undisturbed run', async () => {
  const [calm, page] = [new Page({ openDevice: openWebGpu }), new Page({ openDevice: openWebGpu })];
  calm.start();
  await calm.paused();
  await calm.steps(3);
  page.start();
  await page.paused();
  await page.steps(2);
  const from = page.messages.length;
  page.loseDevice();
  await page.waitFor('event', ({ event }) => event.kind === 'recovered', from);
  await page.steps(1);
  expect(page.metrics.map(timeless)).toEqual(calm.metrics.map(timeless));
});
