import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { build } from 'vite';
import { findChromium } from '../scripts/chromium.mjs';
import { SITE_PATH, serveSite } from '../test/browser/siteServer.ts';
import { root } from '../test/files.ts';

/** Adapters of Chromium that the benchmarks of the page offer. */
export const ADAPTERS = ['swiftshader', 'default'] as const;

/** The built page on a local server, and a browser. */
export interface BuiltPage {
  readonly browser: Browser;
  /** Returns the address of the page with a query and a fragment, such as `?v=1#learn`. */
  readonly address: (path: string) => string;
}

/**
 * Builds the page as it is published, serves it, and opens Chromium. Removes the build and closes the server and
 * Chromium when the work ends.
 * @param adapter `default` selects the adapter of the machine's GPU
 * @param built changes the build before it is served
 * @throws {Error} if there is no Chromium
 */
export async function withBuiltPage<Result>(
  adapter: string,
  work: (page: BuiltPage) => Promise<Result>,
  built: (folder: string) => void = () => {},
): Promise<Result> {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error('No Chromium: run `npm test`, which installs it or names the command.');
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-built-'));
  try {
    await build({ root, mode: 'production', logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
    built(folder);
    const { origin, server } = await serveSite(folder);
    const choose = adapter === 'default' ? [] : [`--use-webgpu-adapter=${adapter}`];
    const args = ['--no-sandbox', '--enable-unsafe-webgpu', '--no-first-run', '--disable-background-networking'];
    const browser = await chromium.launch({ executablePath, args: [...args, ...choose] });
    try {
      return await work({ browser, address: (path) => new URL(SITE_PATH + path, origin).href });
    } finally {
      await browser.close();
      server.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
