/** The worker takes its files from the same network as the first update: it waits until the page is at work. */
const WAIT_MS = 8_000;

/**
 * Lets the browser store the files of the built page, so that it opens without a network. If service workers are
 * refused (plain http, a sandboxed frame) or data must be saved, the page continues without them.
 */
export function cacheForOffline(): void {
  const { serviceWorker, connection } = navigator as Navigator & { connection?: { readonly saveData?: boolean } };
  if (!import.meta.env.PROD || !serviceWorker || connection?.saveData) return;
  setTimeout(() => {
    const address = new URL('offline.js', document.baseURI);
    address.search = '';
    serviceWorker.register(address).catch(() => {});
  }, WAIT_MS);
}
