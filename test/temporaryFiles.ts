import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the test processes one folder for their temporary files, and removes it after the run. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-unit-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
