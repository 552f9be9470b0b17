import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Files under a folder of the repository with one of the endings, as paths from the root with forward slashes. */
export function filesUnder(folder: string, ...suffixes: string[]): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => suffixes.some((suffix) => path.endsWith(suffix)))
    .sort();
}
