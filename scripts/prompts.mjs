// Asks the person at the terminal before system packages are installed. If no person is at a terminal, there is no
// question.
import { createInterface } from 'node:readline';
import { question } from './packages.mjs';

/** @typedef {import('./packages.mjs').Missing} Missing */
/** @typedef {import('./packages.mjs').Command} Command */

/**
 * Decides whether commands may run that change the machine.
 * @callback Agree
 * @param {Missing} missing what the machine lacks
 * @param {Command[]} commands what would install it
 * @returns {Promise<boolean>}
 */

/**
 * True if a person is there to answer: both ends are a terminal, and no service for continuous integration runs this.
 * @param {{ isTTY?: boolean }} stdin
 * @param {{ isTTY?: boolean }} stdout
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
export function personSits(stdin, stdout, environment) {
  const inService = !['', '0', 'false'].includes(environment.CI ?? '');
  return stdin.isTTY === true && stdout.isTTY === true && !inService;
}

/**
 * Only a typed yes is one: who presses Enter, or closes the input, has not agreed.
 * @param {string} answer
 */
export function isYes(answer) {
  return /^\s*y(es)?\s*$/i.test(answer);
}

/**
 * Asks at most once, for everything that is going to be missing, and caches the answer.
 * @param {object} terminal
 * @param {boolean} terminal.person true if a person is there to answer; otherwise the answer is yes, without a question
 * @param {(text: string) => Promise<string>} terminal.prompt shows a text and gives the line that was typed
 * @param {() => Promise<{ missing: Missing, commands: Command[] }>} [findMissing] what a whole run lacks; if it is left
 *   out, what is missing at the moment
 * @returns {Agree}
 */
export function agreement({ person, prompt }, findMissing) {
  /** @type {Promise<boolean> | undefined} */
  let answer;
  return async (missing, commands) => {
    if (!person) return true;
    answer ??= (async () => {
      const all = (await findMissing?.()) ?? { missing, commands };
      return isYes(await prompt(question(all.missing, all.commands)));
    })();
    return answer;
  };
}

/** The terminal of this process, for `agreement`. The question goes to standard error, as all progress does. */
export const terminal = {
  person: personSits(process.stdin, process.stdout, process.env),
  /** @param {string} text @returns {Promise<string>} the line; empty where the input ends first */
  prompt: (text) =>
    new Promise((resolve) => {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      lines.once('close', () => resolve(''));
      lines.once('SIGINT', () => process.exit(130));
      lines.question(text, (line) => {
        resolve(line);
        lines.close();
      });
    }),
};
