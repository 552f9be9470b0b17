import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { withDevice } from '../../../../src/cli/framework/device.ts';
import { restWhileMapping } from '../../../../src/cli/framework/node.ts';
import { roundTripPolicy } from '../../../../src/cli/framework/policyFiles.ts';
import { NoWebGpuError } from '../../../../src/gpu/device.ts';
import { initialParameters, parameterLayout } from '../../../../src/policy/weights.ts';
import { openingRun } from '../../../../src/training/data/worlds.ts';
import { policyOf } from '../../../searchPolicy.ts';
import { paperTerminal } from '../cliTerminal.ts';

/** Returns a terminal without an adapter. */
function withoutAdapter() {
  const openGpu = vi.fn(() => Promise.reject(new NoWebGpuError('No adapter.')));
  return { openGpu, terminal: paperTerminal({ openGpu }).terminal };
}

const engineOf = async ({ engine }: { readonly engine: string }) => engine;

test('without --engine, a machine without a graphics card uses the CPU', async () => {
  const { openGpu, terminal } = withoutAdapter();
  expect(await withDevice(terminal, undefined, engineOf)).toBe('exact/1');
  expect(openGpu.mock.calls).toEqual([['card']]);
});

test('--engine exact opens no adapter', async () => {
  const { openGpu, terminal } = withoutAdapter();
  expect(await withDevice(terminal, 'exact', engineOf)).toBe('exact/1');
  expect(openGpu).not.toHaveBeenCalled();
});

test('--engine wgsl without an adapter is an error that names the packages and the other engine', async () => {
  const { openGpu, terminal } = withoutAdapter();
  await expect(withDevice(terminal, 'wgsl', engineOf)).rejects.toThrow(
    /^No adapter\. .*mesa-vulkan-drivers and libvulkan1\. --engine exact needs no adapter\.$/,
  );
  expect(openGpu.mock.calls).toEqual([[]]);
});

test('a driver failure is an error, without a fallback to the CPU', async () => {
  const { terminal } = paperTerminal({ openGpu: () => Promise.reject(new Error('The driver crashed.')) });
  await expect(withDevice(terminal, undefined, engineOf)).rejects.toThrow('The driver crashed.');
});

afterEach(() => vi.restoreAllMocks());

/** Returns buffers whose mapping a test completes or rejects. */
function mappedBuffers() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const buffer = {
    mapAsync: () =>
      new Promise<undefined>((resolve, reject) => ends.push({ resolve: () => resolve(undefined), reject })),
  };
  restWhileMapping(buffer);
  return { map: () => buffer.mapAsync.call(buffer as unknown as GPUBuffer), ends };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

test('the event loop rests on every turn until the buffer is mapped, and not afterwards', async () => {
  const wait = vi.spyOn(Atomics, 'wait');
  const { map, ends } = mappedBuffers();
  await turns(3);
  expect(wait).not.toHaveBeenCalled();
  const mapped = map();
  await turns(5);
  expect(wait.mock.calls.length).toBeGreaterThanOrEqual(4);
  ends[0]?.resolve();
  await mapped;
  const before = wait.mock.calls.length;
  await turns(5);
  expect(wait).toHaveBeenCalledTimes(before);
});

test('a failed mapping ends the rests and is rejected with its error', async () => {
  const wait = vi.spyOn(Atomics, 'wait');
  const { map, ends } = mappedBuffers();
  const mapped = map();
  ends[0]?.reject(new Error('lost'));
  await expect(mapped).rejects.toThrow('lost');
  const before = wait.mock.calls.length;
  await turns(5);
  expect(wait).toHaveBeenCalledTimes(before);
});

test('a policy from the device equals the same policy from its file, with any bytes after the last tensor', () => {
  const shape = policyOf(openingRun('search').settings);
  const { size, padded } = parameterLayout(shape);
  const initial = initialParameters(shape, 1);
  const onDevice = new Float32Array(padded).fill(7);
  onDevice.set(initial.subarray(0, size));
  const { parameters } = roundTripPolicy(shape, onDevice);
  expect(parameters).toEqual(roundTripPolicy(shape, initial.slice(0, size)).parameters);
  expect(parameters.subarray(0, size)).toEqual(initial.subarray(0, size));
});
