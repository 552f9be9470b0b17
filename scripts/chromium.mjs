// Finds a Chromium or Chrome that can run the page with WebGPU. Headless-shell builds have no WebGPU, so they are
// ignored.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SystemError } from './dependencies.mjs';

/** @returns {string[]} */
function listStandardPaths() {
  const { platform, env } = process;
  if (platform === 'darwin') {
    const apps = ['Google Chrome.app/Contents/MacOS/Google Chrome', 'Chromium.app/Contents/MacOS/Chromium'];
    return apps.flatMap((app) => [join('/Applications', app), join(env.HOME ?? '', 'Applications', app)]);
  }
  if (platform === 'win32') {
    const folders = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(
      (folder) => folder !== undefined,
    );
    return folders.flatMap((folder) => [
      join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
      join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
    ]);
  }
  const names = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser'];
  return names.flatMap((name) => (env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)));
}

/**
 * Returns true for a snap, such as Ubuntu's chromium. A snap cannot read the profile folder that a test creates.
 * @param {string} path
 */
function isSnap(path) {
  const real = realpathSync(path);
  if (real.startsWith('/snap/') || real.endsWith('/snap')) return true;
  // The executable of a browser has hundreds of megabytes; the first 4 KiB are enough to recognize a script.
  const head = Buffer.alloc(4096);
  const file = openSync(real, 'r');
  const length = readSync(file, head);
  closeSync(file);
  const text = head.toString('latin1', 0, length);
  return text.startsWith('#!') && text.includes('/snap/bin/');
}

/** @param {string} path */
function works(path) {
  // Chrome for Windows opens a window instead of printing its version.
  if (process.platform === 'win32') return true;
  const result = spawnSync(path, ['--version', '--no-sandbox'], { encoding: 'utf8', timeout: 30_000 });
  return result.status === 0 && /\d+\.\d+\.\d+/.test(result.stdout);
}

/** Returns the path at which playwright-core stores its Chromium. The file exists only after a download. */
async function playwrightChromium() {
  const { chromium } = await import('playwright-core');
  return chromium.executablePath();
}

/**
 * Finds a browser: CHROME_PATH if it is set, else the standard paths, else the download of playwright-core.
 * @returns {Promise<string | undefined>} the path of an executable; undefined if there is no browser
 * @throws {SystemError} if CHROME_PATH is set and is not a browser that starts
 */
export async function findChromium() {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (existsSync(chosen) && works(chosen)) return chosen;
    throw new SystemError(`CHROME_PATH is "${chosen}", which is not a Chrome or Chromium that starts.`);
  }
  const candidates = [...listStandardPaths(), await playwrightChromium()];
  return candidates.find((path) => existsSync(path) && !isSnap(path) && works(path));
}
