import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './files.ts';

/** A block of code of CONTRIBUTING.md that names the file it is about. */
interface Block {
  readonly kind: 'whole' | 'diff';
  readonly file: string;
  readonly text: string;
}

/** The blocks below a heading of CONTRIBUTING.md, in their order. @throws {Error} where there is no such heading */
export function blocksOf(heading: string): readonly Block[] {
  const all = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const section = all.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`CONTRIBUTING.md has no section "${heading}"`);
  return [...section.matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```$/gm)].map(([, kind, file, text]) => ({
    kind: kind === 'diff' ? 'diff' : 'whole',
    file,
    text,
  }));
}

/** Runs a program of such a copy, with Node. @throws {Error} with what it wrote, where it ends with another status than 0 */
export function runIn(folder: string, program: string, ...args: string[]): string {
  const script = program.endsWith('.ts') ? ['--import', 'tsx', program] : [program];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...script, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Checks the types of such a copy. @throws {Error} with what the compiler says */
export function checkTypes(folder: string): void {
  const config = { extends: './tsconfig.json', include: ['src', 'workers'] };
  writeFileSync(join(folder, 'tsconfig.own.json'), JSON.stringify(config));
  runIn(folder, 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.own.json');
}

/** Directories that no copy needs: packages are linked, and the others hold what programs wrote. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'runs', 'lab', 'test-results'];

/** Copies the repository, its packages as a link. @param folder empty */
export function copyRepository(folder: string): void {
  const left = LEFT_OUT.map((name) => join(root, name));
  cpSync(root, folder, { recursive: true, filter: (path) => !left.includes(path) && !path.endsWith('.venv') });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
}

/** Follows the steps of a section of CONTRIBUTING.md on a copy of the repository. @param folder empty */
export function follow(heading: string, folder: string): void {
  copyRepository(folder);
  for (const { kind, file, text } of blocksOf(heading)) {
    const path = join(folder, file);
    if (kind === 'diff') writeFileSync(path, patched(readFileSync(path, 'utf8'), text, file));
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
}

/**
 * Applies a diff to a text. Lines that begin with + are added after the line before them, and lines that begin with -
 * are removed.
 * @throws {Error} if a line that is removed, or that other lines follow, does not appear in the text exactly once
 */
export function patched(text: string, diff: string, file: string): string {
  const lines = text.split('\n');
  let at = -1;
  for (const line of diff.split('\n').filter((row) => row !== '')) {
    const content = line.slice(1);
    if (line.startsWith('+')) {
      lines.splice(++at, 0, content);
      continue;
    }
    const positions = lines.flatMap((known, index) => (known === content ? [index] : []));
    if (positions.length !== 1)
      throw new Error(`${file} has the line "${content}" ${positions.length} times, not once`);
    at = positions[0];
    if (line.startsWith('-')) lines.splice(at--, 1);
  }
  return lines.join('\n');
}
