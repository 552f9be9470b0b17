/** Resources of a service worker: the caches of its origin, and the network. */
export interface CacheHost {
  readonly caches: Pick<CacheStorage, 'open' | 'keys' | 'delete'>;
  fetch(request: Request | string): Promise<Response>;
}

/** Location and files of a build. */
export interface Site {
  /** Address of the folder of the page. Other copies of the page can be in other folders. */
  readonly scope: string;
  /** Paths relative to the scope, stored at the first visit. Their names distinguish builds. */
  readonly files: readonly string[];
}

/** Folder of files whose names identify their contents. New content has a new name. */
const LASTING = 'assets/';

/**
 * Cache with the files of the page, which opens the page without a network. Files that can change are first requested
 * from the network, so that a new build is visible immediately. Files that cannot change are first read from the cache.
 * Large files are stored after their first use.
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
   * @throws if a file cannot be fetched; then no file of this build is used
   */
  async install(): Promise<void> {
    const cache = await this.host.caches.open(this.name);
    await cache.addAll(['./', ...this.site.files].map((file) => new URL(file, this.site.scope).href));
  }

  /** Deletes the caches of other builds of this page. Caches of other pages of the host remain. */
  async clean(): Promise<void> {
    const names = await this.host.caches.keys();
    const old = names.filter((name) => name.startsWith(this.prefix) && name !== this.name);
    await Promise.all(old.map((name) => this.host.caches.delete(name)));
  }

  /** Returns the response to a request, or undefined for a request that this cache does not handle. */
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
    // If the storage is full, only the copy is lost.
    if (response.status === 200) cache.put(key, response.clone()).catch(() => {});
    return response;
  }
}

/** Returns a short digest of a list of files (FNV-1a). */
function digest(files: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const letter of [...files].sort().join('\n')) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
