import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvironmentName } from '../../environments/registry.ts';

// The built terminal replaces this module by another module (scripts/terminal.ts).

/** Root folder of the repository. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Folders whose code determines the numbers of a run, in addition to the folder of its environment. */
const FOLDERS = [
  ...['shaders', 'src/random', 'src/gpu', 'src/rollouts', 'src/credit', 'src/policy', 'src/objective'],
  ...['src/engine', 'packages/python-sandbox/src', 'src/training', 'src/environments/shared'],
];

/** Files of an environment that describe runs and do not affect their results. */
const DESCRIPTIVE = /(Claims|ClaimTests|Findings|Comparison|Charts|presets|toolText)\.ts$/;

const known = new Map<string, string>();

/**
 * Returns the commit of the repository, followed by `+` if a tracked file has changed. Returns an empty string outside
 * of a repository.
 */
export function commitOf(): string {
  commit ??= gitCommit();
  return commit;
}
let commit: string | undefined;

function gitCommit(): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return `${git('rev-parse', '--short=12', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+'}`;
  } catch {
    return '';
  }
}

/** Returns digests of the code that determines the numbers of a run, by folder. */
export function codeOf(environment: EnvironmentName): Readonly<Record<string, string>> {
  const folders = [...FOLDERS, `src/environments/${environment}`];
  return Object.fromEntries(folders.map((folder) => [folder, known.get(folder) ?? digestOf(folder)]));
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(ts|wgsl|json|py)$/.test(path) && !DESCRIPTIVE.test(path))
    .sort();
  for (const path of files)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, folder, path)))
      .update('\0');
  const digest = hash.digest('hex').slice(0, 12);
  known.set(folder, digest);
  return digest;
}

/** Start of a command line in a clone of the repository. */
export const PROGRAM = 'npm run turnwise --';

/** Returns the version of the program in package.json. */
export function version(): string {
  const file = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
