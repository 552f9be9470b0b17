import { expect, test } from 'vitest';
import { cachedTaskSets } from '../../../../src/environments/shared/execution.ts';

test('a world is created once, also for concurrent requests', async () => {
  const worlds = cachedTaskSets<number>();
  let count = 0;
  const create = async () => ++count;
  expect(await Promise.all([worlds('a', create), worlds('a', create), worlds('b', create)])).toEqual([1, 1, 2]);
  expect(await worlds('a', create)).toBe(1);
});

test('a world whose creation failed is created again', async () => {
  const worlds = cachedTaskSets<string>();
  await expect(worlds('a', () => Promise.reject(new Error('no sandbox')))).rejects.toThrow('no sandbox');
  expect(await worlds('a', async () => 'made')).toBe('made');
});

test('only the most recently requested worlds are cached', async () => {
  const worlds = cachedTaskSets<number>();
  let count = 0;
  const loadWorld = (name: number) => worlds(String(name), async () => ++count);
  for (let name = 0; name < 8; name++) await loadWorld(name);
  await loadWorld(0);
  await loadWorld(8);
  // 0 was requested again before 8 arrived, so 1 was removed.
  expect([await loadWorld(0), count]).toEqual([1, 9]);
  expect([await loadWorld(1), count]).toEqual([10, 10]);
});
