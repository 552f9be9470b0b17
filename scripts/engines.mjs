// The browser engines that Playwright can drive, and where its builds of them lie.
import { existsSync } from 'node:fs';
import { SetupError } from './dependencies.mjs';

/** @typedef {'chromium' | 'firefox' | 'webkit'} Engine */

/** @type {readonly Engine[]} */
export const ENGINES = ['chromium', 'firefox', 'webkit'];

/**
 * @param {string} name
 * @returns {Engine}
 * @throws {SetupError} that names the engines there are
 */
export function engineNamed(name) {
  const engine = ENGINES.find((candidate) => candidate === name);
  if (!engine) throw new SetupError(`--browser: "${name}" is none; known: ${ENGINES.join(', ')}`);
  return engine;
}

/**
 * Playwright's own build of an engine.
 * @param {Engine} engine
 * @returns {Promise<string | undefined>} path of the executable, where it is installed
 */
export async function findEngine(engine) {
  const playwright = await import('playwright-core');
  const path = playwright[engine].executablePath();
  return existsSync(path) ? path : undefined;
}
