import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates one folder for the temporary files of the test processes, and returns a function that removes it. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-unit-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
