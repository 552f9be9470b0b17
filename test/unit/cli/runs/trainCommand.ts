import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import type { Terminal } from '../../../../src/cli/framework/terminal.ts';
import type { ArmRun } from '../../../../src/experiments/compare/findings.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { writeCheckpoint } from '../../../../src/policy/checkpoint.ts';
import { initialParameters } from '../../../../src/policy/weights.ts';
import type { Metrics } from '../../../../src/training/data/protocol.ts';
import { TERMINAL } from '../../../builtTerminal.ts';
import { policyOf } from '../../../searchPolicy.ts';
import { SETTINGS } from '../../../searchTables.ts';
import { turnwise } from '../cliTerminal.ts';

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

// Initial weights are sufficient, because these tests check the terminal.
export const config = policyOf(defaults(SETTINGS));
writeFileSync(path('start'), new Uint8Array(writeCheckpoint(config, { parameters: initialParameters(config, 3) })));
export const START = `--checkpoint ${path('start')}`;
export const TINY = '--questions 2 --groupSize 4';

export const train = (flags: string, parts: Partial<Terminal> = {}) => turnwise(`train ${TINY} ${flags}`, parts);
export const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Metrics);
export const fileLines = (name: string) => lines(readFileSync(path(name), 'utf8'));

/** Starts `train` in a separate process. */
export function spawnTrain(flags: string) {
  const args = `${flags} ${TINY}`.split(' ');
  return spawn(process.execPath, [TERMINAL, 'train', ...args]);
}

/** Returns the runs in a result file of `compare`. */
export const runsOf = (file: string): readonly ArmRun[] => JSON.parse(readFileSync(file, 'utf8')).runs;
