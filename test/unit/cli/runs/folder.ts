import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Temporary folder of the test file. */
const folder = mkdtempSync(join(tmpdir(), 'turnwise-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

export const path = (name: string) => join(folder, name);
