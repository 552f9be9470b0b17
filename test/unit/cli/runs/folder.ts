import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Temporary folder of the test process, removed after the run (temporaryFiles.ts). */
const folder = mkdtempSync(join(tmpdir(), 'turnwise-cli-'));

export const path = (name: string) => join(folder, name);
