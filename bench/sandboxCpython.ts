import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { LIMITS, type Outcome, type Program } from '@turnwise/python-sandbox/types';
import { loadPyodide } from 'pyodide';
import { UsageError } from '../src/cli/framework/errors.ts';

/** Test files of CPython for the language and for the modules that programs can import. */
const FILES = [
  'test_abc', 'test_array', 'test_bisect', 'test_cmath', 'test_collections', 'test_contextlib', 'test_copy', 'test_dataclasses', 'test_datetime',
  'test_decimal', 'test_defaultdict', 'test_deque', 'test_enum', 'test_fractions', 'test_functools', 'test_heapq', 'test_itertools', 'test_json.test_decode',
  'test_json.test_dump', 'test_json.test_encode_basestring_ascii', 'test_json.test_fail', 'test_json.test_float', 'test_json.test_indent',
  'test_json.test_pass1', 'test_json.test_recursion', 'test_json.test_scanstring', 'test_json.test_separators', 'test_json.test_unicode', 'test_math',
  'test_operator', 'test_ordered_dict', 'test_random', 'test_re', 'test_statistics', 'test_string', 'test_textwrap', 'test_typing', 'test_unicodedata',
  'test_augassign', 'test_bool', 'test_bytes', 'test_class', 'test_compare', 'test_complex', 'test_contains', 'test_dict', 'test_dictviews', 'test_enumerate',
  'test_float', 'test_fstring', 'test_generator_stop', 'test_int', 'test_isinstance', 'test_iter', 'test_list', 'test_listcomps', 'test_long',
  'test_named_expressions', 'test_patma', 'test_pow', 'test_property', 'test_range', 'test_raise', 'test_richcmp', 'test_scope', 'test_set', 'test_slice',
  'test_sort', 'test_str', 'test_super', 'test_tuple', 'test_unary', 'test_userdict', 'test_userlist', 'test_with',
]; // biome-ignore format: a list of words

/** Fuel of a test method. The limit is higher than for a unit test, because a method has many assertions. */
const FUEL = 20 * LIMITS.fuel;
const HERE = fileURLToPath(new URL('cpython/', import.meta.url));
const MOUNTED = '/tests';
/** Error messages of tests that need a closed feature of the sandbox, or that fail for reasons outside the sandbox. */
const CLOSED = [
  /is closed in the sandbox/,
  /module 'sys' has no attribute/,
  /'decimal.Context' object has no attribute '_unsafe/,
  /^LeftOut: /,
  /name '(open|breakpoint|help|input)' is not defined/,
];
/** Reasons why failing tests are left out, by file and test. */
const LEFT_OUT: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(HERE, 'leftOut.json'), 'utf8'));

interface Method {
  readonly file: string;
  readonly test: string;
  readonly future: string;
  readonly code: string;
}

export interface CpythonResult extends Pick<Method, 'file' | 'test'> {
  readonly kind: 'passed' | 'left out' | 'failed';
  readonly reason: string;
}

/**
 * Runs the methods of CPython's test files in the sandbox, one program per method.
 * @param folder the folder `test` of CPython
 * @param files names of files without `.py`; empty for all files of FILES that exist
 * @throws {UsageError} if the files do not exist
 */
export async function runCpython(folder: string, files: readonly string[]): Promise<CpythonResult[]> {
  const methods = await split(folder, filesOf(folder, files));
  const substitute = readFileSync(join(HERE, 'substitute.py'), 'utf8');
  const programs = methods.map(
    ({ future, code }): Program => ({
      program: `${future}\n${substitute}\n${code}`,
      entry: 'run',
      inputs: [[]],
      limits: { fuel: FUEL, time: 60_000 },
    }),
  );
  const sandbox = new Sandbox(createNodeSource());
  const outcomes = await sandbox.execute(programs);
  sandbox.close();
  return methods.map(({ file, test }, i) => {
    const { kind, reason } = classifyOutcome(outcomes[i][0]);
    const listed = LEFT_OUT[`${file} ${test}`];
    return kind === 'failed' && listed !== undefined
      ? { file, test, kind: 'left out', reason: listed }
      : { file, test, kind, reason };
  });
}

/**
 * Runs the test files and prints their results.
 * @param table file for the table in Markdown
 * @returns exit code: 1 if a test fails
 */
export async function checkCpython(folder: string, files: readonly string[], table?: string): Promise<number> {
  const results = await runCpython(folder, files);
  const text = page(results, versionOf(folder));
  console.log(text);
  if (table !== undefined) writeFileSync(table, text);
  for (const { file, test, kind } of results) {
    if (kind === 'passed' && LEFT_OUT[`${file} ${test}`])
      console.log(`passes, but is listed in leftOut.json: ${file} ${test}`);
  }
  const failed = results.filter(({ kind }) => kind === 'failed');
  for (const { file, test, reason } of failed) console.log(`failed: ${file} ${test}: ${reason}`);
  return failed.length > 0 ? 1 : 0;
}

function filesOf(folder: string, requested: readonly string[]): string[] {
  const isThere = (name: string) =>
    [`${name.replace('.', '/')}.py`, `${name}/__init__.py`].some((path) => existsSync(join(folder, path)));
  const missing = requested.find((name) => !isThere(name));
  if (missing !== undefined) throw new UsageError(`${folder} has no ${missing}`);
  const files = (requested.length > 0 ? requested : FILES).filter(isThere);
  if (files.length === 0) throw new UsageError(`${folder} is no folder of CPython's tests`);
  return files;
}

/** Splits the files with Pyodide, because its Python has the same syntax as the Python in the sandbox. */
async function split(folder: string, files: readonly string[]): Promise<Method[]> {
  const python = await loadPyodide();
  python.mountNodeFS(MOUNTED, resolve(folder));
  python.runPython(readFileSync(join(HERE, 'split.py'), 'utf8'));
  const programs = python.globals.get('programs') as (folder: string, file: string) => string;
  return files.flatMap((file) => JSON.parse(programs(MOUNTED, file)) as Method[]);
}

function classifyOutcome(outcome: Outcome): Pick<CpythonResult, 'kind' | 'reason'> {
  if (outcome.kind === 'value' && Array.isArray(outcome.value)) {
    const [kind, reason] = outcome.value as [CpythonResult['kind'], string];
    return { kind, reason };
  }
  if (outcome.kind === 'limit') return { kind: 'left out', reason: `limit: ${outcome.limit}` };
  if (outcome.kind === 'violation') return { kind: 'failed', reason: outcome.reason };
  if (outcome.kind === 'value') return { kind: 'failed', reason: 'it gave back something else' };
  const { type, message } = outcome.error;
  const reason = `${type}: ${message}`;
  return {
    kind: CLOSED.some((known) => known.test(reason)) ? 'left out' : 'failed',
    reason: reason.replace('LeftOut: ', ''),
  };
}

/** Returns the version of CPython to which a folder of tests belongs, from its header file. */
function versionOf(folder: string): string {
  const library = dirname(resolve(folder));
  const headers = ['../Include', `../../include/${basename(library)}`].map((at) => join(library, at, 'patchlevel.h'));
  const header = headers.find((path) => existsSync(path));
  const version = header && /PY_VERSION\s+"(.*)"/.exec(readFileSync(header, 'utf8'))?.[1];
  return version ?? 'of a version that its folder does not say';
}

/** Formats the results of the tests, file by file. */
function page(results: readonly CpythonResult[], version: string): string {
  const row = (name: string, of: readonly CpythonResult[]) => {
    const count = (kind: CpythonResult['kind']) => of.filter((result) => result.kind === kind).length;
    return `| ${name} | ${count('passed')} | ${count('left out')} | ${count('failed')} | `;
  };
  const reasons = (of: readonly CpythonResult[]) => {
    const times = new Map<string, number>();
    for (const { kind, reason } of of) if (kind === 'left out') times.set(reason, (times.get(reason) ?? 0) + 1);
    return [...times]
      .sort((a, b) => b[1] - a[1])
      .map(([reason, count]) => `${collapseLines(reason)} (${count})`)
      .join('; ');
  };
  const files = [...new Set(results.map(({ file }) => file))];
  const rows = files.map((file) => {
    const of = results.filter((result) => result.file === file);
    return `${row(`\`${file}\``, of)}${reasons(of)} |`;
  });
  return [
    "# CPython's own tests in the sandbox",
    '',
    `This page lists the results of the tests of CPython ${version} on the Python of the sandbox.`,
    'Generated by `npm run bench:sandbox -- --cpython FOLDER --table docs/develop/sandbox-tests.md`; see [sandbox.md](sandbox.md).',
    '',
    '| file | passed | left out | failed | why tests are left out |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    `${row('all', results)} |`,
    '',
  ].join('\n');
}

/** Formats a reason for a table cell: one line, with Markdown characters escaped, at most 200 characters. */
function collapseLines(reason: string): string {
  return reason
    .replace(/\s+/g, ' ')
    .replace(/[|\\`*_<[]/g, '\\$&')
    .slice(0, 200);
}
