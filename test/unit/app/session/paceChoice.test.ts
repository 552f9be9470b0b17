import { expect, test, vi } from 'vitest';

/** Number of opened instances of the module. */
let opens = 0;

/** Returns a new instance of the module, loaded by a page with this stored pace. */
async function opened(stored: string | null) {
  const storage = new Map(stored === null ? [] : [['turnwise-pace', stored]]);
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
  });
  const address = `../../../../src/app/session/paceChoice.ts?instance=${opens++}`;
  const module: typeof import('../../../../src/app/session/paceChoice.ts') = await import(/* @vite-ignore */ address);
  return { ...module, storage };
}

test.each([
  [null, 5],
  ['20', 20],
  ['null', null],
  ['7', 5],
  ['', 5],
])('a page with %j in storage trains at the pace %j', async (stored, pace) => {
  expect((await opened(stored)).chosenPace()).toBe(pace);
});

test('a selected pace is applied and saved', async () => {
  const { chosenPace, choosePace, storage } = await opened(null);
  choosePace(null);
  expect([chosenPace(), storage.get('turnwise-pace')]).toEqual([null, 'null']);
  choosePace(1);
  expect([chosenPace(), storage.get('turnwise-pace')]).toEqual([1, '1']);
});

test('without storage, a selected pace applies until the page is closed', async () => {
  const { chosenPace, choosePace } = await opened(null);
  vi.stubGlobal('localStorage', undefined);
  choosePace(10);
  expect(chosenPace()).toBe(10);
});
