import { expect, test } from 'vitest';
import type { Kernels } from '../../../../src/engine/exact/kernels.ts';
import { Arena } from '../../../../src/engine/exact/space.ts';

const PAGE = 65536;

test('an allocation beyond the memory limit throws an error and does not change the arena', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2 });
  const arena = new Arena({ memory } as Kernels);
  const first = arena.allocate(16);
  arena.write(first, Float32Array.of(7));
  const { bytes } = arena;
  expect(() => arena.allocate(PAGE)).toThrow(/no room for \d+ bytes/);
  expect(arena.bytes).toBe(bytes);
  const second = arena.allocate(PAGE / 4);
  expect(second).toBe(bytes);
  expect([...arena.read(first, 1), ...arena.read(second, 1)]).toEqual([7, 0]);
});
