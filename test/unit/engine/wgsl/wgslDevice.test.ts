import { expect, test } from 'vitest';
import { OutOfMemoryError } from '../../../../src/engine/shared.ts';
import { WgslDevice } from '../../../../src/engine/wgsl/wgslEngine.ts';
import type { Gpu } from '../../../../src/gpu/device.ts';

/** Creates a device whose error scopes report the given error. `scopes` lists the open error scopes. */
function deviceWith(error: { readonly message: string } | null) {
  const scopes: string[] = [];
  const device = {
    pushErrorScope: (filter: string) => scopes.push(filter),
    popErrorScope: async () => (scopes.pop() === 'out-of-memory' ? error : null),
  };
  const lost = new Promise(() => {});
  return { scopes, device: new WgslDevice({ device, lost } as unknown as Gpu) };
}

/** Creates a resource that counts the calls of `destroy`. */
function resource() {
  return {
    destroyed: 0,
    destroy() {
      this.destroyed++;
    },
  };
}

test('allocate returns the result of the work if the device reports no error', async () => {
  const { device, scopes } = deviceWith(null);
  const result = resource();
  expect(await device.allocate(async () => result)).toBe(result);
  expect([result.destroyed, scopes]).toEqual([0, []]);
});

test('allocate destroys the result and rejects with the reason if the memory is too small', async () => {
  const { device } = deviceWith({ message: '4 GiB requested' });
  const result = resource();
  await expect(device.allocate(async () => result)).rejects.toEqual(new OutOfMemoryError('4 GiB requested'));
  expect(result.destroyed).toBe(1);
});

test('allocate rejects with the error of the work and closes its error scope', async () => {
  const { device, scopes } = deviceWith({ message: '4 GiB requested' });
  await expect(device.allocate(() => Promise.reject(new Error('no such file')))).rejects.toThrow('no such file');
  expect(scopes).toEqual([]);
});

test('lost resolves with the message of the device, or with its reason without a message', async () => {
  const lostWith = (message: string) =>
    new WgslDevice({ lost: Promise.resolve({ message, reason: 'destroyed' }) } as unknown as Gpu).lost;
  expect([await lostWith('driver reset'), await lostWith('')]).toEqual(['driver reset', 'destroyed']);
});
