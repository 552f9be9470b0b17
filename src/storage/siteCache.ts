/** Resources of a service worker: the caches of its origin and the network. */
export interface CacheHost {
  readonly caches: Pick<CacheStorage, 'open' | 'keys' | 'delete'>;
  fetch(request: Request | string): Promise<Response>;
}

/** The files of a build. */
export interface Site {
  /** Address of the folder that the page lies in; another copy of the page may lie in another one. */
  readonly scope: string;
  /** Relative to the scope, stored from the first visit on. Their names distinguish one build from another. */
  readonly files: readonly string[];
}

/**
 * Below this folder a name identifies its contents: a file is never changed, only replaced by one with another name.
 */
const LASTING = 'assets/';

/**
 * Stores the files of the page, so that it opens without a network. Files that can change are requested from the
 * network first, so that a new build is visible at once. Files that cannot change are read from this cache. Large files
 * are stored after their first use.
 */
export class SiteCache {
  private readonly prefix: string;
  private readonly name: string;

  constructor(
    private readonly host: CacheHost,
    private readonly site: Site,
  ) {
    this.prefix = `turnwise ${site.scope} `;
    this.name = this.prefix + digest(site.files);
  }

  /**
   * Fetches all files of the build.
   * @throws if one of them does not arrive: then no file of this build is used
   */
  async install(): Promise<void> {
    const cache = await this.host.caches.open(this.name);
    await cache.addAll(['./', ...this.site.files].map((file) => new URL(file, this.site.scope).href));
  }

  /** Deletes other builds of this page; other pages of the host are left alone. */
  async clean(): Promise<void> {
    const names = await this.host.caches.keys();
    const old = names.filter((name) => name.startsWith(this.prefix) && name !== this.name);
    await Promise.all(old.map((name) => this.host.caches.delete(name)));
  }

  /** The answer to a request; undefined for one that is no business of this page. */
  answer(request: Request): Promise<Response> | undefined {
    const address = new URL(request.url);
    address.search = '';
    address.hash = '';
    const inside = address.href.startsWith(this.site.scope);
    if (request.method !== 'GET' || !inside || request.headers.has('range')) return undefined;
    const lasting = address.href.startsWith(this.site.scope + LASTING);
    return lasting ? this.cachedFirst(request, address.href) : this.networkFirst(request, address.href);
  }

  private async cachedFirst(request: Request, key: string): Promise<Response> {
    const cache = await this.host.caches.open(this.name);
    return (await cache.match(key)) ?? this.fetchAndCache(cache, request, key);
  }

  private async networkFirst(request: Request, key: string): Promise<Response> {
    const cache = await this.host.caches.open(this.name);
    try {
      return await this.fetchAndCache(cache, request, key);
    } catch (error) {
      const cached = await cache.match(key);
      if (!cached) throw error;
      return cached;
    }
  }

  private async fetchAndCache(cache: Cache, request: Request, key: string): Promise<Response> {
    const response = await this.host.fetch(request);
    // A full store costs the copy only.
    if (response.status === 200) cache.put(key, response.clone()).catch(() => {});
    return response;
  }
}

/** A short name for a list of files (FNV-1a). */
function digest(files: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const letter of [...files].sort().join('\n')) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
