// Files that the check of English reads, and the lines added to these files.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, SetupError } from '../dependencies.mjs';
import { entriesOf, scannerOf } from './occurrences.mjs';

/** @typedef {import('./occurrences.mjs').Entry} Entry */
/** @typedef {import('./occurrences.mjs').Occurrence} Occurrence */
/** @typedef {import('./occurrences.mjs').WordList} WordList */

const READ = /\.(ts|mjs|js|md|py|wgsl|html|ya?ml)$/;
/** Fixtures, generated files and licences. */
const SKIPPED =
  /(^|\/)(fixtures|node_modules|dist|vendor)\/|kernelTypes\.ts$|^docs\/reference\/(rules|lab)\/(?!README)|licen[cs]e/i;

/** Path of the file with the limits, one per line. */
export const LIMITS = 'scripts/english/limits.json';

/** @returns {WordList} */
export const readList = () => JSON.parse(readFileSync(join(root, 'scripts/english/words.json'), 'utf8'));

/** Returns the limit of each entry; none if the file does not exist. @returns {Record<string, number>} */
export const readLimits = () =>
  existsSync(join(root, LIMITS)) ? JSON.parse(readFileSync(join(root, LIMITS), 'utf8')) : {};

/**
 * Returns the occurrences of each entry in the repository, in the order of the list.
 * @param {WordList} list
 * @returns {Map<Entry, Occurrence[]>}
 */
export function occurrencesInRepository(list) {
  /** @type {Map<Entry, Occurrence[]>} */
  const all = new Map(entriesOf(list).map((entry) => [entry, []]));
  const scan = scannerOf(list);
  for (const path of checkedFiles()) {
    for (const [entry, occurrence] of scan(path, readFileSync(join(root, path), 'utf8'))) {
      all.get(entry)?.push(occurrence);
    }
  }
  return all;
}

/** Returns tracked files and new files that git does not ignore; without git, all files of the folder. */
function checkedFiles() {
  const tracked = git('ls-files', '-z', '--cached', '--others', '--exclude-standard')?.split('\0');
  const paths = tracked ?? filesOfFolder();
  return [...new Set(paths)].filter((path) => isChecked(path) && existsSync(join(root, path))).sort();
}

/**
 * True if the check reads the file.
 * @param {string} path
 */
export const isChecked = (path) => READ.test(path) && !SKIPPED.test(path);

function filesOfFolder() {
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    ({ name }) => !['node_modules', '.git'].includes(name),
  );
  return folders.flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(root, entry.name), { recursive: true, encoding: 'utf8' }).map(
          (path) => `${entry.name}/${path.replaceAll('\\', '/')}`,
        )
      : [entry.name],
  );
}

/**
 * Returns a function that is true for an occurrence on an added line. Added lines are uncommitted, or in commits that
 * HEAD does not share with the revision.
 * @param {string} revision
 * @returns {(occurrence: Occurrence) => boolean}
 * @throws {SetupError} if the revision does not exist
 */
export function addedSince(revision) {
  const diff = git(
    '-c',
    'core.quotepath=off',
    'diff',
    '--merge-base',
    '-U0',
    '--no-color',
    '--no-ext-diff',
    '--no-prefix',
    revision,
    '--',
  );
  if (diff === undefined) throw new SetupError(`--since: "${revision}" is not a revision of this repository`);
  const lines = addedLines(diff);
  const files = new Set(git('ls-files', '-z', '--others', '--exclude-standard')?.split('\0'));
  return ({ path, line }) => files.has(path) || lines.has(`${path}:${line}`);
}

/**
 * Returns the added lines of a diff without context, as `path:line`.
 * @param {string} diff
 */
export function addedLines(diff) {
  const lines = new Set();
  let path = '';
  for (const row of diff.split('\n')) {
    if (row.startsWith('+++ ')) path = row.slice(4).replace(/\t$/, '');
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(row);
    for (let i = 0; hunk && i < Number(hunk[2] ?? 1); i++) lines.add(`${path}:${Number(hunk[1]) + i}`);
  }
  return lines;
}

/** Returns the revision that last changed the limits; undefined without git. */
export const limitsRevision = () => git('log', '-1', '--format=%H', '--', LIMITS)?.trim() || undefined;

/** Returns the output of a git command; undefined if it fails. @param {string[]} args */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 30 });
  return status === 0 ? stdout : undefined;
}
