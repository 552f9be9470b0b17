import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';

/** Where a course might put the page: nothing may rely on being at the root of its host. */
export const SITE_PATH = '/course/demo/';

/** A page without content at the root of the same host, for tests of the harness itself. */
export const BLANK_PATH = '/blank.html';
const BLANK = '<!doctype html><html lang="en"><title>Blank</title><link rel="icon" href="data:,"></html>';

// The types that every static host knows.
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
};

/**
 * Serves a folder under SITE_PATH as the plainest static host would: no special headers, no fallback page.
 * @returns the address of the host, without a path, and the server
 */
export async function serveSite(folder: string): Promise<{ origin: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (path === BLANK_PATH) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(BLANK);
      return;
    }
    try {
      // normalize() drops every "..", so that nothing outside the folder is reached.
      const inside = path.startsWith(SITE_PATH) ? normalize(`/${path.slice(SITE_PATH.length)}`) : undefined;
      if (inside === undefined) throw new Error('outside the site');
      const name = inside.endsWith('/') ? join(inside, 'index.html') : inside;
      const body = await readFile(join(folder, name));
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the test server has no port');
  // localhost is a secure context, without which a page has no navigator.gpu.
  return { origin: `http://localhost:${address.port}`, server };
}
