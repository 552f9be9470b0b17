import './look/theme.css';
import './shell/page.ts';

/** Delay of the registration. The service worker would otherwise compete with the first update for the network. */
const WAIT_MS = 8_000;

/**
 * Registers the service worker that stores the files of the built page for use without a network. The page continues
 * without it if service workers are refused (plain http, sandboxed frame) or the browser saves data.
 */
function cacheForOffline(): void {
  const { serviceWorker, connection } = navigator as Navigator & { connection?: { readonly saveData?: boolean } };
  if (!import.meta.env.PROD || !serviceWorker || connection?.saveData) return;
  setTimeout(() => {
    const address = new URL('offline.js', document.baseURI);
    address.search = '';
    serviceWorker.register(address).catch(() => {});
  }, WAIT_MS);
}

cacheForOffline();
