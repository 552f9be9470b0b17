import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findChromium } from '../../scripts/chromium.mjs';
import { buildScriptedWorker, buildSite } from './buildSite.ts';
import { serveSite } from './siteServer.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the host that serves the built page, without a path. */
    origin: string;
    /** Executable of the browser. */
    chromium: string;
  }
}

/** Builds the page and the scripted training worker once per test run, into a temporary folder, and serves both. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const chromium = await findChromium();
  if (!chromium)
    throw new Error('No Chromium: run `npm test`, which installs it or names the command, or set CHROME_PATH.');
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-site-'));
  const [page, scripted] = [join(folder, 'page'), join(folder, 'scripted')];
  await buildSite('index.html', page);
  const script = await buildScriptedWorker(scripted);
  const { origin, server } = await serveSite(page, { folder: scripted, script });
  project.provide('origin', origin);
  project.provide('chromium', chromium);
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  };
}
