import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../files.ts';
import type { GroupBank } from './groupBank.ts';

/** Folder of the recorded groups. */
export const BANK_FOLDER = join(root, 'test/fixtures/scripted');

/** Reads all recorded groups. The keys are the names of their files without the extension. */
export function readBanks(): Readonly<Record<string, GroupBank>> {
  const files = readdirSync(BANK_FOLDER).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    files.map((name) => [basename(name, '.json'), JSON.parse(readFileSync(join(BANK_FOLDER, name), 'utf8'))]),
  );
}
