import { gzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { SITE_PATH } from './siteServer.ts';

/** Maximum compressed size of the first load [bytes]. */
const MAXIMUM = 130_000;

const site = new URL(SITE_PATH, inject('origin'));

/** Returns the compressed sizes [bytes] of a file of the built page and of its static imports, by address. */
async function firstLoad(address: string, sizes = new Map<string, number>()): Promise<ReadonlyMap<string, number>> {
  if (sizes.has(address)) return sizes;
  const text = await (await fetch(address)).text();
  sizes.set(address, gzipSync(text, { level: 9 }).byteLength);
  const page = address === site.href;
  const pattern = page ? /(?:src|href)="([^"]+\.(?:js|css))"/g : /(?:from|import)\s*"(\.[^"]+\.js)"/g;
  for (const [, path = ''] of text.matchAll(pattern)) await firstLoad(new URL(path, address).href, sizes);
  return sizes;
}

test('the first load is one script below 130 kB and excludes panels that open later', async () => {
  const sizes = await firstLoad(site.href);
  const names = [...sizes.keys()].map((address) => address.slice(site.href.length));
  expect(names).toEqual(
    expect.arrayContaining([expect.stringMatching(/first-.*\.js$/), expect.stringMatching(/\.css$/)]),
  );
  // One file, because a dozen separately compressed files are larger.
  expect(names.filter((name) => name.endsWith('.js'))).toHaveLength(1);
  expect(
    names.filter((name) =>
      /deferredPanels|lessonsView|labView|t1-|Comparison-|pythonEditor|one-reward|assessment|teacher/.test(name),
    ),
  ).toEqual([]);
  expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(MAXIMUM);
});
