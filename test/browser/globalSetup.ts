import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findChromium } from '../../scripts/chromium.mjs';
import { buildSite } from './buildSite.ts';
import { serveSite } from './siteServer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the host that serves the built page, without a path. */
    origin: string;
    /** Executable of the browser. */
    chromium: string;
  }
}

/** Builds the page once a run, into a folder of its own, and serves it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await findChromium();
  if (!chromium)
    throw new Error('No Chromium: run `npm test`, which installs it or names the command, or set CHROME_PATH.');
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-site-'));
  await buildSite('index.html', folder);
  const { origin, server } = await serveSite(folder);
  project.provide('origin', origin);
  project.provide('chromium', chromium);
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  };
}
