// Command line of `npm run smoke`, and the events of the page that count as errors.
import { parseArgs } from 'node:util';
import { SetupError } from './dependencies.mjs';
import { ENGINES, engineNamed } from './engines.mjs';

const USAGE = `npm run smoke -- [options]
  --browser NAME  ${ENGINES.join(', ')} (chromium)
  --site FOLDER   a page that is built already; without it one is built for the occasion`;

/** Status of a page from its second update on, after it has trained on the first batch. */
export const TRAINING = /^Training · update ([2-9]|\d{2,})$/;

/**
 * Parses the command line.
 * @param {string[]} args
 * @throws {SetupError} for an unknown option or engine; the message lists the options
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
 * Returns true if a request was cancelled, because its frame or page was closed. Each engine has another message.
 * @param {string} reason
 */
export function isCancelled(reason) {
  return /ERR_ABORTED|BINDING_ABORTED|cancelled/i.test(reason);
}

/**
 * Adds the errors of a page to `errors`: console errors, uncaught exceptions and failed requests.
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
