import { printable, quoted, show as shortened } from '../../rollouts/quoting.ts';
import type { Execute } from '../shared/execution.ts';
import {
  differences,
  type Issue,
  occurrences,
  type ProblemSplit,
  promptTokens,
  type RepoFile,
  type RepoProblem,
  type Repository,
  type Symptom,
  type UnitTest,
} from './repository.ts';
import { TestRunner } from './testing.ts';
import { APP, APP_FILE, FILES, FUNCTIONS, isEditable } from './vocabulary.ts';
import { failureText } from './workingCopy.ts';

// Custom repositories: JSON Lines, one problem per line. docs/reference/repo.md describes the fields.

/** Maximum number of characters of a field's name or path in a message. */
const LONGEST_FIELD = 80;

/** Error for a line that is not a problem. The message names the file, the line and the field. */
export class RepositoriesError extends Error {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly field: string,
    problem: string,
  ) {
    super(printable(`${file}, line ${line}: ${field ? `${field.slice(0, LONGEST_FIELD)}: ` : ''}${problem}`));
    this.name = 'RepositoriesError';
  }
}

/** Problem with its line in the file and its split. */
export interface ProblemEntry {
  readonly problem: RepoProblem;
  readonly line: number;
  readonly heldOut: boolean;
}

type Refuse = (field: string, problem: string) => never;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads problems without running them; see `verifyRepositories`.
 * @param file name of the file, for messages
 * @throws {RepositoriesError} for the first invalid field
 */
export function readRepositories(text: string, file: string): readonly ProblemEntry[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const problems = lines.flatMap((content, index) => {
    if (content.trim() === '') return [];
    const line = index + 1;
    const refuse: Refuse = (field, problem) => {
      throw new RepositoriesError(file, line, field, problem);
    };
    let fields: unknown;
    try {
      fields = JSON.parse(content);
    } catch (error) {
      refuse('', `no JSON: ${(error as Error).message}`);
    }
    return [{ ...readProblem(asFields(fields, '', refuse), `line ${line}`, refuse), line }];
  });
  if (problems.length === 0) throw new RepositoriesError(file, 1, '', 'there are no problems');
  return problems;
}

/**
 * Runs all tests. The right files must pass all of them, and the broken files must fail a visible test.
 * @throws {RepositoriesError} for the first problem that does not meet these conditions
 */
export async function verifyRepositories(
  given: readonly ProblemEntry[],
  execute: Execute,
  file: string,
): Promise<void> {
  const runner = new TestRunner(execute);
  const reports = await Promise.all(
    given.map(async ({ problem }) => [
      await runner.run(problem, problem.right),
      await runner.run(problem, problem.broken),
    ]),
  );
  given.forEach(({ line }, index) => {
    const [right, broken] = reports[index];
    const refuse: Refuse = (field, problem) => {
      throw new RepositoriesError(file, line, field, problem);
    };
    if (right.visible) refuse('visible', `the right files fail: ${failureText(right.visible)}`);
    if (right.hidden) refuse('hidden', `the right files fail: ${failureText(right.hidden)}`);
    if (!broken.visible)
      refuse('visible', 'the broken files pass every visible test, so no visible test shows the bug');
  });
}

/** Splits problems into training and held-out problems. If a split is empty, it has the problems of the other split. */
export function splitProblems(given: readonly ProblemEntry[]): ProblemSplit {
  const of = (heldOut: boolean) => given.filter((entry) => entry.heldOut === heldOut).map(({ problem }) => problem);
  const [training, heldOut] = [of(false), of(true)];
  return { training: training.length > 0 ? training : heldOut, heldOut: heldOut.length > 0 ? heldOut : training };
}

function readProblem(fields: Fields, id: string, refuse: Refuse): Omit<ProblemEntry, 'line'> {
  const known = ['files', 'issue', 'visible', 'hidden', 'split'];
  for (const name of Object.keys(fields)) {
    if (!known.includes(name)) refuse(name, `there is no such field; known: ${known.join(', ')}`);
  }
  const { right, broken } = readFiles(fields.files, refuse);
  const bugs = differences(right, broken);
  if (bugs.length === 0) refuse('files', 'the broken files are the right ones');
  for (const { at, wrong } of bugs) {
    const times = occurrences(broken[at], wrong);
    if (times > 1) {
      refuse(
        `files[${at}].broken`,
        `"${wrong}" occurs ${times} times, so that no edit can replace the wrong one alone`,
      );
    }
  }
  const issue = readIssue(fields.issue, right, refuse);
  const visible = readTests(fields.visible, 'visible', right, refuse);
  if (!visible.some(({ name }) => name === APP)) refuse('visible', `no test calls ${APP}, which \`execute\` needs`);
  const hidden = readTests(fields.hidden ?? [], 'hidden', right, refuse);
  const { split = 'training' } = fields;
  if (split !== 'training' && split !== 'held-out') refuse('split', `${show(split)} is not "training" or "held-out"`);
  return {
    problem: { id, right, broken, bugs, issue, visible, hidden, prompt: promptTokens(right, issue) },
    heldOut: split === 'held-out',
  };
}

function readFiles(value: unknown, refuse: Refuse): { readonly right: Repository; readonly broken: Repository } {
  const list = asList(value, 'files', refuse);
  if (list.length < 2 || list.length > FILES.length) {
    refuse('files', `${list.length} files; ${APP_FILE} and 1 to ${FILES.length - 1} others are possible`);
  }
  const [files, names] = [new Set<string>(), new Set<string>()];
  const both = list.map((entry, index) => {
    const at = `files[${index}]`;
    const fields = asFields(entry, at, refuse);
    const { file, function: name } = fields;
    if (typeof file !== 'string' || !FILES.includes(file)) {
      refuse(`${at}.file`, `${show(file)} is not one of ${FILES.join(', ')}`);
    }
    if (index === 0 && file !== APP_FILE) refuse(`${at}.file`, `the first file is ${APP_FILE}, not ${file}`);
    const functions = index === 0 ? [APP] : FUNCTIONS;
    if (typeof name !== 'string' || !functions.includes(name)) {
      refuse(`${at}.function`, `${show(name)} is not one of ${functions.join(', ')}`);
    }
    if (files.has(file)) refuse(`${at}.file`, `${file} is listed twice`);
    if (names.has(name)) refuse(`${at}.function`, `${name} is listed twice`);
    files.add(file);
    names.add(name);
    const right = readStatements(fields.right, `${at}.right`, refuse);
    const broken = fields.broken === undefined ? right : readStatements(fields.broken, `${at}.broken`, refuse);
    right.forEach(({ length }, statement) => {
      const actual = broken[statement].length;
      if (actual !== length) refuse(`${at}.broken[${statement}]`, `it has ${actual} tokens, the right one ${length}`);
    });
    return [right, broken].map((statements): RepoFile => ({ file, name, statements }));
  });
  return { right: both.map(([right]) => right), broken: both.map(([, broken]) => broken) };
}

function readStatements(value: unknown, at: string, refuse: Refuse): RepoFile['statements'] {
  const list = asList(value, at, refuse);
  if (list.length !== 2) refuse(at, `${list.length} statements; a function has two`);
  const [first, second] = list.map((statement, index) => {
    if (typeof statement !== 'string') return refuse(`${at}[${index}]`, `${show(statement)} is not a text`);
    const tokens = statement.split(' ').filter((token) => token !== '');
    if (tokens.length === 0) refuse(`${at}[${index}]`, 'it is empty');
    const foreign = tokens.find((token) => !isEditable(token));
    if (foreign !== undefined) refuse(`${at}[${index}]`, `${quoted(foreign)} is no token of code`);
    return tokens;
  });
  return [first, second];
}

function readIssue(value: unknown, right: Repository, refuse: Refuse): Issue {
  const [name, symptom, ...more] = typeof value === 'string' ? value.split(' ') : [];
  const names = right.map((file) => file.name);
  if (!names.includes(name) || !['high', 'low', 'crash'].includes(symptom) || more.length > 0) {
    refuse('issue', `${show(value)} is not one of ${names.join(', ')}, then high, low or crash`);
  }
  return { name, symptom: symptom as Symptom };
}

function readTests(value: unknown, field: string, right: Repository, refuse: Refuse): readonly UnitTest[] {
  const names = right.map(({ name }) => name);
  return asList(value, field, refuse).map((entry, index) => {
    const at = `${field}[${index}]`;
    const { function: name, x, k, expected } = asFields(entry, at, refuse);
    if (typeof name !== 'string' || !names.includes(name)) {
      refuse(`${at}.function`, `${show(name)} is not one of ${names.join(', ')}`);
    }
    const list = asList(x, `${at}.x`, refuse).map((member, position) =>
      asInteger(member, `${at}.x[${position}]`, refuse),
    );
    return {
      name,
      x: list,
      k: asInteger(k, `${at}.k`, refuse),
      expected: asInteger(expected, `${at}.expected`, refuse),
    };
  });
}

function asFields(value: unknown, at: string, refuse: Refuse): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(at, `${show(value)} is not an object`);
  return value as Fields;
}

function asList(value: unknown, at: string, refuse: Refuse): readonly unknown[] {
  if (!Array.isArray(value)) refuse(at, `${show(value)} is not a list`);
  return value as unknown[];
}

function asInteger(value: unknown, at: string, refuse: Refuse): number {
  if (!Number.isSafeInteger(value)) refuse(at, `${show(value)} is not a whole number`);
  return value as number;
}

function show(value: unknown): string {
  return value === undefined ? 'missing; it' : shortened(value);
}
