// What `npm run smoke` looks for in the page, what counts as an error there, and its options.
import { parseArgs } from 'node:util';
import { SetupError } from './dependencies.mjs';
import { ENGINES, engineNamed } from './engines.mjs';

const USAGE = `npm run smoke -- [options]
  --browser NAME  ${ENGINES.join(', ')} (chromium)
  --site FOLDER   a page that is built already; without it one is built for the occasion
  --no-webgpu     as in a browser without WebGPU`;

/** Texts of the page that tell its state; a unit test holds them against the page's catalogues. */
export const PHRASES = {
  /** At the second update or a later one: the first batch has been learned from. */
  training: /^Training · step ([2-9]|\d{2,})$/,
  missing: 'This browser cannot train',
  advice: 'Browsers that can train',
  recording: /^Recording: /,
  replaying: /^(Playing the recording · step [1-9]\d*|Recording ended · step \d+)$/,
};

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
        'no-webgpu': { type: 'boolean', default: false },
      },
    });
    return { engine: engineNamed(values.browser), site: values.site, webgpu: !values['no-webgpu'] };
  } catch (error) {
    if (error instanceof TypeError || error instanceof SetupError) throw new SetupError(`${error.message}\n\n${USAGE}`);
    throw error;
  }
}

/**
 * Whether a failed request was only given up: engines have different words for a frame, or a page, that went away.
 * @param {string} reason
 */
export function givenUp(reason) {
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
    if (!givenUp(reason)) errors.push(`request: ${request.url()} ${reason}`);
  });
}
