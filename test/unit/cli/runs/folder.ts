import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'vitest';

/** Temporary folder of the test process, removed after the run (temporaryFiles.ts). */
const folder = mkdtempSync(join(tmpdir(), 'turnwise-cli-'));

/**
 * Returns the path of a file in a folder of the test file. The test files of a process share their modules. Without
 * separate folders, a test can read a file with the same name from another test file.
 */
export function path(name: string): string {
  const { testPath } = expect.getState();
  if (testPath === undefined) throw new Error('path() is called outside a test file');
  const testFolder = join(folder, basename(testPath));
  mkdirSync(testFolder, { recursive: true });
  return join(testFolder, name);
}
