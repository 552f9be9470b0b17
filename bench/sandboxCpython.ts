import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../src/cli/framework/errors.ts';
import { nodePlace } from '../src/sandbox/host/node.ts';
import { Sandbox } from '../src/sandbox/sandbox.ts';
import { LIMITS, type Outcome, type Program } from '../src/sandbox/types.ts';

/** CPython's test files of the modules that programs may import, and of the language. */
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

/** A test method counts as one test, however much it looks at. */
const FUEL = 20 * LIMITS.fuel;
const HERE = fileURLToPath(new URL('cpython/', import.meta.url));
/** What says that a test needs something that is closed, or is no fault of the sandbox: errors by what they say. */
const CLOSED = [
  /is closed in the sandbox/,
  /module 'sys' has no attribute/,
  /^LeftOut: /,
  /name '(open|breakpoint|help|input)' is not defined/,
];

interface Method {
  readonly file: string;
  readonly test: string;
  readonly future: string;
  readonly code: string;
}

interface Result extends Method {
  readonly kind: 'passed' | 'left out' | 'failed';
  readonly reason: string;
}

/** Runs the methods of CPython's own test files in the sandbox, one program each, and prints what became of them. @returns the exit code, 0 */
export async function checkCpython(folder: string, only: readonly string[]): Promise<number> {
  const methods = split(folder, only.length > 0 ? only : FILES);
  const substitute = readFileSync(join(HERE, 'substitute.py'), 'utf8');
  const programs = methods.map(
    ({ future, code }): Program => ({
      program: `${future}\n${substitute}\n${code}`,
      entry: 'run',
      inputs: [[]],
      limits: { fuel: FUEL, time: 60_000 },
    }),
  );
  const sandbox = new Sandbox(nodePlace());
  const outcomes = await sandbox.execute(programs);
  sandbox.close();
  const results = methods.map((method, i): Result => ({ ...method, ...told(outcomes[i][0]) }));
  print(results);
  return 0;
}

function split(folder: string, files: readonly string[]): Method[] {
  if (!existsSync(join(folder, 'test_list.py'))) throw new UsageError(`${folder} is no folder of CPython's tests`);
  // The Python that they belong to knows its own syntax.
  const own = join(folder, '../../../bin/python3');
  const there = files.filter(
    (name) => existsSync(join(folder, `${name.replace('.', '/')}.py`)) || existsSync(join(folder, name, '__init__.py')),
  );
  const { stdout, stderr, status } = spawnSync(
    existsSync(own) ? own : 'python3',
    [join(HERE, 'split.py'), folder, ...there],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    },
  );
  if (status !== 0) throw new Error(`the test files cannot be split: ${stderr}`);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Method);
}

function told(outcome: Outcome): Pick<Result, 'kind' | 'reason'> {
  if (outcome.kind === 'value' && Array.isArray(outcome.value)) {
    const [kind, reason] = outcome.value as [Result['kind'], string];
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

function print(results: readonly Result[]): void {
  const files = [...new Set(results.map(({ file }) => file))];
  const count = (file: string | undefined, kind: Result['kind']) =>
    results.filter((result) => (file === undefined || result.file === file) && result.kind === kind).length;
  const row = (name: string, file?: string) =>
    console.log(`| ${name} | ${count(file, 'passed')} | ${count(file, 'left out')} | ${count(file, 'failed')} |`);
  console.log('| file | passed | left out | failed |\n| --- | --- | --- | --- |');
  for (const file of files) row(file, file);
  row('all');
  console.log('\nleft out:');
  const reasons = new Map<string, number>();
  for (const { kind, reason } of results) if (kind === 'left out') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1]))
    console.log(`${String(times).padStart(5)}  ${reason}`);
  console.log('\nfailed:');
  for (const { file, test, kind, reason } of results) if (kind === 'failed') console.log(`${file} ${test}: ${reason}`);
}
