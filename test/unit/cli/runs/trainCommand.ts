import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { policyOf } from '../../../../src/cli/framework/policyFiles.ts';
import type { Terminal } from '../../../../src/cli/framework/terminal.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { writeCheckpoint } from '../../../../src/policy/checkpoint.ts';
import { initialParameters } from '../../../../src/policy/weights.ts';
import type { Metrics } from '../../../../src/training/data/protocol.ts';
import { TERMINAL } from '../../../builtTerminal.ts';
import { SETTINGS } from '../../../searchTables.ts';
import { turnwise } from '../cliTerminal.ts';
import { path } from './folder.ts';

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
