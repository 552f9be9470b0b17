// The browser engines that Playwright supports, and the paths of its builds.
import { existsSync } from 'node:fs';
import { SetupError } from './dependencies.mjs';

/** @typedef {'chromium' | 'firefox' | 'webkit'} Engine */

/** @type {readonly Engine[]} */
export const ENGINES = ['chromium', 'firefox', 'webkit'];

/**
 * Parses the name of an engine.
 * @param {string} name
 * @returns {Engine}
 * @throws {SetupError} for an unknown name; the message lists the engines
 */
export function engineNamed(name) {
  const engine = ENGINES.find((candidate) => candidate === name);
  if (!engine) throw new SetupError(`--browser: "${name}" is none; known: ${ENGINES.join(', ')}`);
  return engine;
}

/**
 * Returns the path of Playwright's build of an engine.
 * @param {Engine} engine
 * @returns {Promise<string | undefined>} path of the executable; undefined if it is not installed
 */
export async function findEngine(engine) {
  const playwright = await import('playwright-core');
  const path = playwright[engine].executablePath();
  return existsSync(path) ? path : undefined;
}
