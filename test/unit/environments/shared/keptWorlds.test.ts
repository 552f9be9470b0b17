import { expect, test } from 'vitest';
import { keptWorlds } from '../../../../src/environments/shared/keptWorlds.ts';

test('a world is made once, also by several at a time', async () => {
  const worlds = keptWorlds<number>();
  let made = 0;
  const make = async () => ++made;
  expect(await Promise.all([worlds('a', make), worlds('a', make), worlds('b', make)])).toEqual([1, 1, 2]);
  expect(await worlds('a', make)).toBe(1);
});

test('a world whose creation failed is created again', async () => {
  const worlds = keptWorlds<string>();
  await expect(worlds('a', () => Promise.reject(new Error('no sandbox')))).rejects.toThrow('no sandbox');
  expect(await worlds('a', async () => 'made')).toBe('made');
});

test('the most recently requested worlds are retained, not all', async () => {
  const worlds = keptWorlds<number>();
  let made = 0;
  const ask = (name: number) => worlds(String(name), async () => ++made);
  for (let name = 0; name < 8; name++) await ask(name);
  await ask(0);
  await ask(8);
  // 0 was requested again before 8 arrived, so 1 was removed.
  expect([await ask(0), made]).toEqual([1, 9]);
  expect([await ask(1), made]).toEqual([10, 10]);
});
