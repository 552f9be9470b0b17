import { gzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { SITE_PATH } from './siteServer.ts';

/** Maximum number of bytes, compressed, of a user's first load. */
const MAXIMUM = 130_000;

const site = new URL(SITE_PATH, inject('origin'));

/** A file of the built page and all that it imports at once, each with its compressed size. */
async function firstLoad(address: string, sizes = new Map<string, number>()): Promise<ReadonlyMap<string, number>> {
  if (sizes.has(address)) return sizes;
  const text = await (await fetch(address)).text();
  sizes.set(address, gzipSync(text, { level: 9 }).byteLength);
  const page = address === site.href;
  const pattern = page ? /(?:src|href)="([^"]+\.(?:js|css))"/g : /(?:from|import)\s*"(\.[^"]+\.js)"/g;
  for (const [, path = ''] of text.matchAll(pattern)) await firstLoad(new URL(path, address).href, sizes);
  return sizes;
}

test('the first load is small, and what is opened later is no part of it', async () => {
  const sizes = await firstLoad(site.href);
  const names = [...sizes.keys()].map((address) => address.slice(site.href.length));
  expect(names).toEqual(
    expect.arrayContaining([expect.stringMatching(/first-.*\.js$/), expect.stringMatching(/\.css$/)]),
  );
  // One file: a dozen that are compressed apart are larger.
  expect(names.filter((name) => name.endsWith('.js'))).toHaveLength(1);
  expect(
    names.filter((name) =>
      /deferredPanels|lessonsView|labView|t1-|Comparison-|pythonEditor|one-reward|assessment|teacher/.test(name),
    ),
  ).toEqual([]);
  expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(MAXIMUM);
});
