import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Lists the source files of the program: the page, the terminal, the workers and the packages. */
export const sourceFiles = (): string[] => [
  ...filesUnder('src', '.ts'),
  ...filesUnder('workers', '.ts'),
  ...filesUnder('packages', '.ts').filter((path) => /^packages\/[^/]+\/src\//.test(path)),
];

/** Lists files with one of the suffixes in a folder of the repository, as paths from the root with forward slashes. */
export function filesUnder(folder: string, ...suffixes: string[]): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => suffixes.some((suffix) => path.endsWith(suffix)))
    .sort();
}
