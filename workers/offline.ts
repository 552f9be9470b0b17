import { SiteCache } from '../src/storage/siteCache.ts';

/** Entry point of the service worker, which uses the cache of the site for all requests. */
const worker = self as unknown as ServiceWorkerGlobalScope;

/** Files of the site, which the build inserts (scripts/offline.mjs). */
declare const SITE_FILES: readonly string[];

const platform = { caches: worker.caches, fetch: (request: Request | string) => worker.fetch(request) };
const site = new SiteCache(platform, { scope: worker.registration.scope, files: SITE_FILES });

worker.addEventListener('install', (event) => event.waitUntil(site.install()));
worker.addEventListener('activate', (event) => {
  // Claims open pages, so that the files that they load from now on are cached too.
  event.waitUntil(site.clean().then(() => worker.clients.claim()));
});
worker.addEventListener('fetch', (event) => {
  const answer = site.answer(event.request);
  if (answer) event.respondWith(answer);
});
