import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { reason } from '../framework/errors.ts';

/**
 * Keeps somewhere what could not be written where it should go: it may be the work of hours.
 * @returns the end of the message that says where it is
 */
export function rescued(file: string, bytes: Uint8Array): string {
  const found: string[] = [];
  for (const place of [tmpdir(), homedir()]) {
    let folder: string | undefined;
    try {
      folder = mkdtempSync(join(place, 'turnwise-rescued-'));
      const kept = join(folder, basename(file));
      writeFileSync(kept, bytes, { flush: true });
      return `; it is in ${kept} instead`;
    } catch (error) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      found.push(`${place}: ${reason(error)}`);
    }
  }
  return `, nor anywhere else (${found.join('; ')})`;
}
