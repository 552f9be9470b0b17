import { SiteCache } from '../src/storage/siteCache.ts';

/** Entry point of the service worker: hands everything to the cache of the site. */
const worker = self as unknown as ServiceWorkerGlobalScope;

/** Put in by the build (scripts/offline.mjs). */
declare const SITE_FILES: readonly string[];

const platform = { caches: worker.caches, fetch: (request: Request | string) => worker.fetch(request) };
const site = new SiteCache(platform, { scope: worker.registration.scope, files: SITE_FILES });

worker.addEventListener('install', (event) => event.waitUntil(site.install()));
worker.addEventListener('activate', (event) => {
  // The page that is open keeps what it loads from now on, too.
  event.waitUntil(site.clean().then(() => worker.clients.claim()));
});
worker.addEventListener('fetch', (event) => {
  const answer = site.answer(event.request);
  if (answer) event.respondWith(answer);
});
