import type { Execution } from '../shared/execution.ts';
import { APP, FUNCTIONS, type Statements, tokenNumber } from './vocabulary.ts';

/** File of a repository: a function `name(x, k)` of two statements, as tokens. */
export interface RepoFile {
  /** Name of the file. */
  readonly file: string;
  /** Name of the function in the file. */
  readonly name: string;
  readonly statements: Statements<string>;
}

/** Files of a repository: `app.py` first, then the helpers by name. */
export type Repository = readonly RepoFile[];

/** Call of a function of the repository. */
export interface Call {
  readonly name: string;
  readonly x: readonly number[];
  readonly k: number;
}

/** Result of a call: a whole number (`True` is 1), or `crash` for an exception or any other result. */
export type CallValue = number | 'crash';

/** Returns the number of occurrences of a token in a file. */
export function occurrences({ statements }: RepoFile, token: string): number {
  return statements.flat().filter((candidate) => candidate === token).length;
}

/** Returns the file with every occurrence of `old` replaced. */
export function replaceToken(file: RepoFile, old: string, replacement: string): RepoFile {
  const [first, second] = file.statements;
  const swap = (tokens: readonly string[]) => tokens.map((token) => (token === old ? replacement : token));
  return { ...file, statements: [swap(first), swap(second)] };
}

/** Returns the repository with this file in place of the file with the same name. */
export function withFile(repository: Repository, file: RepoFile): Repository {
  return repository.map((current) => (current.file === file.file ? file : current));
}

/** Returns the contents of a file as one string. */
function contents({ file, name, statements: [first, second] }: RepoFile): string {
  return `${file}:${name}:${first.join(' ')};${second.join(' ')}`;
}

/**
 * Returns the contents of all files as one string. The strings of two repositories are equal only if the repositories
 * are equal.
 */
export function repositoryKey(repository: Repository): string {
  return repository.map(contents).join('|');
}

/** Formats tokens as Python. In `app.py`, the name of a helper represents a call of it. */
function statementText(name: string, tokens: readonly string[]): string {
  const called = name === APP ? tokens.map((token) => (FUNCTIONS.includes(token) ? `${token}(x,k)` : token)) : tokens;
  return called.join(' ').replaceAll('_', ' ');
}

/** Formats a file as Python. Any tokens result in a text, which can be invalid Python. */
export function fileText({ name, statements }: RepoFile): string {
  return `def ${name}(x, k):\n${statements.map((tokens) => `    ${statementText(name, tokens)}\n`).join('')}`;
}

/**
 * Creates a program that loads the files of a repository and performs calls. A file with invalid Python is omitted, and
 * calls of its function crash, as with a failed import. The files share one namespace.
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

/** Direction in which a wrong result differs from the expected result. */
export type Symptom = 'high' | 'low' | 'crash';

/** Unit test: a call with its expected result. */
export interface UnitTest extends Call {
  readonly expected: number;
}

/** Wrong token in a file. */
export interface Bug {
  /** Index of the file in the repository. */
  readonly at: number;
  /** Index of the statement: 0 or 1. */
  readonly statement: number;
  /** Index of the token in the statement. */
  readonly token: number;
  readonly right: string;
  readonly wrong: string;
}

/** Issue of a problem: a function and the symptom of its first failing test. */
export interface Issue {
  readonly name: string;
  readonly symptom: Symptom;
}

/** Task: a repository with bugs, an issue and tests. */
export interface RepoProblem {
  readonly id: string;
  readonly right: Repository;
  readonly broken: Repository;
  /** Tokens in which `broken` differs from `right`. */
  readonly bugs: readonly Bug[];
  readonly issue: Issue;
  /** Tests that `test` runs, function by function, with helpers first. */
  readonly visible: readonly UnitTest[];
  /** Further tests that `finish` runs. */
  readonly hidden: readonly UnitTest[];
  /** Tokens of `<issue> NAME SYMPTOM <repo> FILES <a>`. */
  readonly prompt: readonly number[];
}

/** Problems for training, and problems that are excluded from training. */
export interface ProblemSplit {
  readonly training: readonly RepoProblem[];
  readonly heldOut: readonly RepoProblem[];
}

/** Numbers of visible and hidden tests per function. */
export const VISIBLE_TESTS = 3;
export const HIDDEN_TESTS = 6;

/** Returns the names of the functions in the order in which they are tested: helpers by file, then `app`. */
export function testedFunctions([app, ...helpers]: Repository): readonly string[] {
  return [...helpers, app].map(({ name }) => name);
}

export function symptom(expected: number, got: CallValue): Symptom {
  if (got === 'crash') return 'crash';
  return got > expected ? 'high' : 'low';
}

/** Returns the tokens with which an episode starts. */
export function promptTokens(repository: Repository, { name, symptom }: Issue): readonly number[] {
  return ['<issue>', name, symptom, '<repo>', ...repository.map(({ file }) => file), '<a>'].map(tokenNumber);
}

/** Returns the tokens in which a repository differs from another one with the same files and lengths. */
export function differences(right: Repository, broken: Repository): readonly Bug[] {
  return right.flatMap(({ statements }, at) =>
    statements.flatMap((tokens, statement) =>
      tokens.flatMap((token, index) => {
        const wrong = broken[at].statements[statement][index];
        return wrong === token ? [] : [{ at, statement, token: index, right: token, wrong }];
      }),
    ),
  );
}

/** Returns the call of `execute app.py`: the first visible test of `app`. */
export function exampleCall({ visible }: Pick<RepoProblem, 'visible'>): UnitTest {
  const test = visible.find(({ name }) => name === APP);
  if (!test) throw new Error('no visible test calls app');
  return test;
}
