import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './files.ts';

/** Code block of CONTRIBUTING.md with the path of its file. */
interface Block {
  readonly kind: 'whole' | 'diff';
  readonly file: string;
  readonly text: string;
}

/**
 * Returns the code blocks below a heading of CONTRIBUTING.md, in their order.
 * @throws {Error} if there is no such heading
 */
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

/**
 * Runs a program of a copy of the repository with Node and returns its standard output.
 * @throws {Error} with the output of the program if its exit status is not 0
 */
export function runIn(folder: string, program: string, ...args: string[]): string {
  const script = program.endsWith('.ts') ? ['--import', 'tsx', program] : [program];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...script, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/**
 * Checks the types of a copy of the repository.
 * @throws {Error} with the output of the compiler if there are type errors
 */
export function checkTypes(folder: string): void {
  const config = { extends: './tsconfig.json', include: ['src', 'packages', 'workers', 'scripts/plugins'] };
  writeFileSync(join(folder, 'tsconfig.own.json'), JSON.stringify(config));
  runIn(folder, 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.own.json');
}

/** Directories that a copy omits: packages are linked, and the others contain output of programs. */
const LEFT_OUT = ['.git', 'node_modules', 'dist', 'runs', 'lab', 'terminal', 'test-results'];

/**
 * Copies the repository, with a link to its packages.
 * @param folder empty folder
 */
export function copyRepository(folder: string): void {
  const left = LEFT_OUT.map((name) => join(root, name));
  cpSync(root, folder, { recursive: true, filter: (path) => !left.includes(path) && !path.endsWith('.venv') });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
}

/**
 * Applies the steps of a section of CONTRIBUTING.md to a copy of the repository.
 * @param folder empty folder
 */
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
 * Applies a diff to a text. A line that begins with + is added after the preceding line, and a line that begins with -
 * is removed.
 * @throws {Error} if a removed line or a line of context does not occur exactly once in the text
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
