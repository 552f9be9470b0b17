// Checks that `npm run smoke` makes in the page, the events that count as errors there, and the options.
import { parseArgs } from 'node:util';
import { SetupError } from './dependencies.mjs';
import { ENGINES, engineNamed } from './engines.mjs';

const USAGE = `npm run smoke -- [options]
  --browser NAME  ${ENGINES.join(', ')} (chromium)
  --site FOLDER   a page that is built already; without it one is built for the occasion`;

/** Status of a page after its second update: it has learned from the first batch. */
export const TRAINING = /^Training · update ([2-9]|\d{2,})$/;

/**
 * @param {string[]} args of the command line
 * @throws {SetupError} that names what is wrong, and the options
 */
export function smokeOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        browser: { type: 'string', default: 'chromium' },
        site: { type: 'string' },
      },
    });
    return { engine: engineNamed(values.browser), site: values.site };
  } catch (error) {
    if (error instanceof TypeError || error instanceof SetupError) throw new SetupError(`${error.message}\n\n${USAGE}`);
    throw error;
  }
}

/**
 * True if a failed request was only cancelled. Engines have different messages for a frame, or a page, that was closed.
 * @param {string} reason
 */
export function isCancelled(reason) {
  return /ERR_ABORTED|BINDING_ABORTED|cancelled/i.test(reason);
}

/**
 * Adds to `errors` whatever goes wrong in a page: errors on its console, uncaught exceptions, failed requests.
 * @param {import('playwright-core').Page} page
 * @param {string[]} errors
 */
export function watchErrors(page, errors) {
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => errors.push(`uncaught: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (!isCancelled(reason)) errors.push(`request: ${request.url()} ${reason}`);
  });
}
