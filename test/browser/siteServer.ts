import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';

/** Path of the page on the test host. The page must not depend on being at the root. */
export const SITE_PATH = '/course/demo/';

/** Path of the same page with the scripted training worker (test/scripted). */
export const SCRIPTED_PATH = '/course/scripted/';

/** Address of the training worker's script in the built page. */
export const TRAINING_SCRIPT = /\/assets\/training-[^/]*\.js$/;

/** Path of an empty page at the root of the host, for tests of the harness. */
export const BLANK_PATH = '/blank.html';
const BLANK = '<!doctype html><html lang="en"><title>Blank</title><link rel="icon" href="data:,"></html>';

// Content types of files, as on a static host.
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

/** Built scripted training worker: its folder, and the file name of its script in the assets of the folder. */
export interface ScriptedWorker {
  readonly folder: string;
  readonly script: string;
}

/**
 * Serves a built page under SITE_PATH as a plain static host does, without special headers and without a fallback page.
 * Under SCRIPTED_PATH the script of the training worker is replaced by the scripted worker.
 * @param folder folder of the built page
 * @returns address of the host, without a path, and the server
 */
export async function serveSite(
  folder: string,
  scripted?: ScriptedWorker,
): Promise<{ origin: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (path === BLANK_PATH) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(BLANK);
      return;
    }
    try {
      const inside = siteFile(path);
      if (scripted && path.startsWith(SCRIPTED_PATH) && TRAINING_SCRIPT.test(path)) {
        // The response imports the script, because its chunks import it by the same address. A second address runs it
        // twice.
        response.writeHead(200, { 'content-type': TYPES['.js'] }).end(`import './${scripted.script}';`);
        return;
      }
      const folders = scripted && path.startsWith(SCRIPTED_PATH) ? [folder, scripted.folder] : [folder];
      const { name, body } = await readFirst(folders.map((parent) => join(parent, inside)));
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

/** Returns the file of a site for a request path. @throws {Error} if the path is outside the sites */
function siteFile(path: string): string {
  const base = [SITE_PATH, SCRIPTED_PATH].find((site) => path.startsWith(site));
  if (base === undefined) throw new Error('outside the site');
  // normalize() removes every "..", so the result is inside the folder.
  const inside = normalize(`/${path.slice(base.length)}`);
  return inside.endsWith('/') ? join(inside, 'index.html') : inside;
}

/** Reads the first file that exists. @throws {Error} if none exists */
async function readFirst(names: readonly string[]): Promise<{ name: string; body: Buffer }> {
  for (const name of names) {
    const body = await readFile(name).catch(() => undefined);
    if (body) return { name, body };
  }
  throw new Error('not found');
}
