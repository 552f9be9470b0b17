import { expect, test, vi } from 'vitest';
import { withDevice } from '../../../../src/cli/framework/device.ts';
import { NoWebGpuError } from '../../../../src/gpu/device.ts';
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
