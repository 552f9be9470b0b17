// Asks the user before system packages are installed. Without a terminal, there is no question.
import { createInterface } from 'node:readline';
import { question } from './packages.mjs';

/** @typedef {import('./packages.mjs').Missing} Missing */
/** @typedef {import('./packages.mjs').Command} Command */

/**
 * Returns true if commands that change the machine are allowed to run.
 * @callback Agree
 * @param {Missing} missing parts that the machine lacks
 * @param {Command[]} commands commands that install these parts
 * @returns {Promise<boolean>}
 */

/**
 * Returns true if a user can answer: input and output are a terminal, and the process is not part of continuous
 * integration.
 * @param {{ isTTY?: boolean }} stdin
 * @param {{ isTTY?: boolean }} stdout
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
export function isInteractive(stdin, stdout, environment) {
  const inService = !['', '0', 'false'].includes(environment.CI ?? '');
  return stdin.isTTY === true && stdout.isTTY === true && !inService;
}

/**
 * Returns true for a typed "y" or "yes". An empty line and a closed input mean no.
 * @param {string} answer
 */
export function isYes(answer) {
  return /^\s*y(es)?\s*$/i.test(answer);
}

/**
 * Returns a function that asks at most once, for all missing parts, and caches the answer.
 * @param {object} terminal
 * @param {boolean} terminal.person true if a user can answer; otherwise the answer is yes, without a question
 * @param {(text: string) => Promise<string>} terminal.prompt shows a text and returns the typed line
 * @param {() => Promise<{ missing: Missing, commands: Command[] }>} [findMissing] finds the parts that the complete run
 *   lacks; by default, the question lists only the parts of the first call
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

/** Terminal of this process, for `agreement`. It writes the question to standard error, like all progress. */
export const terminal = {
  person: isInteractive(process.stdin, process.stdout, process.env),
  /** @param {string} text @returns {Promise<string>} the typed line; empty if the input ends first */
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
