import type { Execution } from '../shared/execution.ts';
import { APP, FUNCTIONS, type Statements } from './families.ts';

/** One file: a function `name(x, k)` of two statements, as tokens. */
export interface RepoFile {
  /** Name of the file. */
  readonly file: string;
  /** Name of its function. */
  readonly name: string;
  readonly statements: Statements<string>;
}

/** Four files, `app.py` first, then the helpers by name. */
export type Repository = readonly RepoFile[];

/** One call of a function of the repository. */
export interface Call {
  readonly name: string;
  readonly x: readonly number[];
  readonly k: number;
}

/** Result of a call: a whole number (True is 1), or `crash` for an exception or any other result. */
export type CallValue = number | 'crash';

/** Number of occurrences of a token in a file. */
export function occurrences({ statements }: RepoFile, token: string): number {
  return statements.flat().filter((candidate) => candidate === token).length;
}

/** The file with every `old` replaced. */
export function replaceToken(file: RepoFile, old: string, replacement: string): RepoFile {
  const [first, second] = file.statements;
  const swap = (tokens: readonly string[]) => tokens.map((token) => (token === old ? replacement : token));
  return { ...file, statements: [swap(first), swap(second)] };
}

/** The repository with this file in place of the file of the same name. */
export function withFile(repository: Repository, file: RepoFile): Repository {
  return repository.map((current) => (current.file === file.file ? file : current));
}

/** A file's contents as one string. */
function contents({ file, name, statements: [first, second] }: RepoFile): string {
  return `${file}:${name}:${first.join(' ')};${second.join(' ')}`;
}

/** All contents as one string: equal strings, equal repositories. */
export function repositoryKey(repository: Repository): string {
  return repository.map(contents).join('|');
}

/** Tokens as Python. In `app.py` the name of a helper means its call. */
function statementText(name: string, tokens: readonly string[]): string {
  const called = name === APP ? tokens.map((token) => (FUNCTIONS.includes(token) ? `${token}(x,k)` : token)) : tokens;
  return called.join(' ').replaceAll('_', ' ');
}

/** The Python of a file. Any tokens give a text; it need not be Python. */
export function fileText({ name, statements }: RepoFile): string {
  return `def ${name}(x, k):\n${statements.map((tokens) => `    ${statementText(name, tokens)}\n`).join('')}`;
}

/**
 * A program that loads the files of a repository and makes calls. A file that is not Python is left out, and calls of its
 * function crash, as they do for an import that fails. The files share one namespace.
 */
export function callProgram(repository: Repository, calls: readonly Call[]): Execution {
  const files = repository.map((file) => `    ${JSON.stringify(fileText(file))},\n`).join('');
  const program = `FILES = [
${files}]
names = {}
for text in FILES:
    try:
        exec(text, names)
    except Exception:
        pass

def call(name, x, k):
    try:
        value = names[name](x, k)
    except Exception:
        return None
    return int(value) if isinstance(value, int) else None

def f(calls):
    return [call(name, x, k) for name, x, k in calls]
`;
  return { program, inputs: [[calls.map(({ name, x, k }) => [name, x, k])]] };
}
