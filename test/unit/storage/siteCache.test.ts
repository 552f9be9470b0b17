import { describe, expect, it } from 'vitest';
import { SiteCache } from '../../../src/storage/siteCache.ts';

const SCOPE = 'https://a.example/course/demo/';

/** Caches and a network in memory. A request for an address that the network lacks fails. */
class Platform {
  readonly stores = new Map<string, Map<string, string>>();
  readonly requests: string[] = [];
  network: Record<string, string> = {};

  readonly caches = {
    open: async (name: string) => {
      const store = this.stores.get(name) ?? new Map<string, string>();
      this.stores.set(name, store);
      return {
        match: async (key: string) => (store.has(key) ? new Response(store.get(key)) : undefined),
        put: async (key: string, response: Response) => void store.set(key, await response.text()),
        addAll: async (keys: string[]) => {
          const texts = await Promise.all(keys.map(async (key) => (await this.fetch(key)).text()));
          for (const [index, key] of keys.entries()) store.set(key, texts[index] ?? '');
        },
      } as unknown as Cache;
    },
    keys: async () => [...this.stores.keys()],
    delete: async (name: string) => this.stores.delete(name),
  };

  fetch = async (request: Request | string): Promise<Response> => {
    const address = typeof request === 'string' ? request : request.url;
    this.requests.push(address);
    const text = this.network[address];
    if (text === undefined) throw new TypeError('Failed to fetch');
    return new Response(text, { status: text === 'missing' ? 404 : 200 });
  };
}

const text = async (answer: Promise<Response> | undefined) => (await answer)?.text();
const get = (address: string) => new Request(new URL(address, SCOPE));

async function installed(files = ['assets/a-1.js'], platform = new Platform()) {
  platform.network = {
    ...platform.network,
    [SCOPE]: 'page',
    ...Object.fromEntries(files.map((file) => [SCOPE + file, file])),
  };
  const site = new SiteCache(platform, { scope: SCOPE, files });
  await site.install();
  platform.requests.length = 0;
  return { platform, site };
}

describe('SiteCache', () => {
  it('SiteCache answers without a network, for any query of the page', async () => {
    const { platform, site } = await installed();
    platform.network = {};
    expect(await text(site.answer(get('?v=1&seed=3')))).toBe('page');
    expect(await text(site.answer(get('assets/a-1.js')))).toBe('assets/a-1.js');
    await expect(site.answer(get('assets/unknown.js'))).rejects.toThrow('Failed to fetch');
  });

  it('SiteCache answers the page from the network, and assets from the cache', async () => {
    const { platform, site } = await installed();
    platform.network[SCOPE] = 'new page';
    expect(await text(site.answer(get('')))).toBe('new page');
    expect(await text(site.answer(get('assets/a-1.js')))).toBe('assets/a-1.js');
    expect(platform.requests).toEqual([SCOPE]);
    platform.network = {};
    expect(await text(site.answer(get('')))).toBe('new page');
  });

  it('SiteCache saves other files at their first use, but not an answer with status 404', async () => {
    const { platform, site } = await installed();
    platform.network[`${SCOPE}assets/python.wasm`] = 'python';
    platform.network[`${SCOPE}recorded-run.json`] = 'missing';
    expect(await text(site.answer(get('assets/python.wasm')))).toBe('python');
    expect((await site.answer(get('recorded-run.json')))?.status).toBe(404);
    platform.network = {};
    expect(await text(site.answer(get('assets/python.wasm')))).toBe('python');
    await expect(site.answer(get('recorded-run.json'))).rejects.toThrow('Failed to fetch');
  });

  it('SiteCache.clean removes the files of another build, but not of other pages of the host', async () => {
    const { platform } = await installed(['assets/a-1.js']);
    await platform.caches.open('turnwise https://a.example/other/ x');
    const next = await installed(['assets/a-2.js'], platform);
    expect(platform.stores.size).toBe(3);
    await next.site.clean();
    expect([...platform.stores.keys()].filter((name) => name.includes(SCOPE))).toHaveLength(1);
    expect(platform.stores.has('turnwise https://a.example/other/ x')).toBe(true);
    platform.network = {};
    expect(await text(next.site.answer(get('assets/a-2.js')))).toBe('assets/a-2.js');
  });

  it('SiteCache.install fails if a file cannot be loaded', async () => {
    const platform = new Platform();
    platform.network = { [SCOPE]: 'page' };
    const site = new SiteCache(platform, { scope: SCOPE, files: ['assets/missing.js'] });
    await expect(site.install()).rejects.toThrow('Failed to fetch');
  });

  it('SiteCache answers only GET requests without a range in its scope', async () => {
    const { site } = await installed();
    expect(site.answer(new Request('https://a.example/elsewhere/'))).toBeUndefined();
    expect(site.answer(new Request('https://b.example/course/demo/assets/a-1.js'))).toBeUndefined();
    expect(site.answer(new Request(SCOPE, { method: 'POST' }))).toBeUndefined();
    expect(site.answer(new Request(SCOPE, { headers: { range: 'bytes=0-1' } }))).toBeUndefined();
  });
});
