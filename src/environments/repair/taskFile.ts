import type { Value } from '@turnwise/python-sandbox/types';
import { TOO_DEEP, tooDeep } from '../../rollouts/jsonLines.ts';
import { quoted, show as showText } from '../../rollouts/quoting.ts';
import { type Execute, returned } from '../shared/execution.ts';
import { resultText } from './feedback.ts';
import { FUEL } from './programRunner.ts';
import { PROGRAM_LIMIT, VISIBLE_TESTS } from './repairSettings.ts';
import { promptTokens, type RepairTask, type UnitTest } from './repairTasks.ts';
import { bodyText, programText, tokenize, unknownText } from './source.ts';
import { TaskError } from './taskError.ts';
import { isPromptTerm, SIGNATURES, type Signature } from './vocabulary.ts';

/**
 * Custom tasks of the user: JSON Lines, one task per line.
 * `{"prompt": "sum of above 5", "entry": "total(a)", "tests": [{"args": [[3, 7]], "expected": 7}, ...],
 *   "reference": "t = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t", "heldOut": false}`
 * Prompt words and the reference must consist of tokens of the vocabulary. The reference is the body of the function.
 */

const FIELDS = ['prompt', 'entry', 'tests', 'reference', 'heldOut'];
/** Maximum number of words. A longer prompt leaves no capacity for an attempt and its feedback. */
const MAX_TERMS = 16;
/** Minimum number of tests: the visible tests and at least one hidden test. */
const FEWEST_TESTS = VISIBLE_TESTS + 1;
const MAX_TESTS = 64;

/**
 * Reads a file of tasks. Empty lines are skipped.
 * @param firstId id of the first task
 * @throws {TaskError} for the first invalid field; the message names its line
 */
export function readTasks(text: string, firstId = 1_000_000): readonly RepairTask[] {
  const tasks = linesOf(text)
    .map(({ line, content }) => ({ line, value: parse(content, line) }))
    .map(({ line, value }, index) => readTask(value, line, firstId + index));
  if (tasks.length === 0) throw new TaskError(0, undefined, 'the file holds no task');
  return tasks;
}

/** Returns the line numbers of the tasks, from 1, [tasks]. */
export function taskLines(text: string): readonly number[] {
  return linesOf(text).map(({ line }) => line);
}

function linesOf(text: string) {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, content }))
    .filter(({ content }) => content.trim() !== '');
}

/**
 * Runs every task's reference against its tests.
 * @param lines result of `taskLines`, for the message
 * @throws {TaskError} for the first task whose reference fails a test
 */
export async function checkReferences(
  tasks: readonly RepairTask[],
  execute: Execute,
  lines: readonly number[] = [],
): Promise<void> {
  const results = await execute(
    tasks.map(({ reference, signature, entry, tests }) => ({
      program: programText(reference, signature, entry),
      entry,
      inputs: tests.map(({ args }) => args),
      fuel: FUEL,
    })),
  );
  tasks.forEach(({ promptTerms, tests }, task) => {
    const test = tests.findIndex(({ expected }, index) => !returned(results[task][index], expected));
    if (test < 0) return;
    const got = resultText(results[task][test]);
    const problem = `the reference of "${promptTerms.join(' ')}" gives ${got} for test ${test}, not ${resultText({ value: tests[test].expected })}`;
    throw new TaskError(lines[task] ?? 0, 'reference', problem);
  });
}

function parse(line: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new TaskError(number, undefined, `not JSON (${(error as Error).message})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TaskError(number, undefined, `a task must be an object, not ${show(value)}`);
  }
  const fields = value as Record<string, unknown>;
  const deep = Object.keys(fields).find((name) => tooDeep(fields[name]));
  if (deep !== undefined) throw new TaskError(number, deep, TOO_DEEP);
  return fields;
}

function readTask(fields: Record<string, unknown>, line: number, id: number): RepairTask {
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) throw new TaskError(line, unknown, `unknown; known: ${FIELDS.join(', ')}`);
  const promptTerms = readPrompt(fields.prompt, line);
  const { entry, signature } = readEntry(fields.entry, line);
  const { heldOut = false } = fields;
  if (typeof heldOut !== 'boolean') throw new TaskError(line, 'heldOut', `${show(heldOut)} is not true or false`);
  return {
    id,
    promptTerms,
    signature,
    entry,
    prompt: promptTokens(promptTerms, signature),
    reference: readReference(fields.reference, line),
    tests: readTests(fields.tests, SIGNATURES[signature].length, line),
    heldOut,
  };
}

function readPrompt(prompt: unknown, line: number): readonly string[] {
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new TaskError(line, 'prompt', `${show(prompt)} is not words`);
  const promptTerms = prompt.trim().split(/\s+/);
  const bad = promptTerms.find((term) => !isPromptTerm(term));
  if (bad !== undefined)
    throw new TaskError(line, 'prompt', `${quoted(bad)} is not in the vocabulary (docs/reference/repair.md lists it)`);
  if (promptTerms.length > MAX_TERMS)
    throw new TaskError(line, 'prompt', `${promptTerms.length} words, at most ${MAX_TERMS}`);
  return promptTerms;
}

function readEntry(entry: unknown, line: number): { entry: string; signature: Signature } {
  const [, name, parameters] = (typeof entry === 'string' && /^\s*([A-Za-z_]\w*)\s*\(([^()]*)\)\s*$/.exec(entry)) || [];
  const given = parameters?.split(',').map((parameter) => parameter.trim());
  const signatures = Object.entries(SIGNATURES) as [Signature, readonly string[]][];
  const match = signatures.find(([, known]) => given?.join() === known.join());
  if (name !== undefined && match) return { entry: name, signature: match[0] };
  const known = signatures.map(([, names]) => `name(${names.join(', ')})`).join(', ');
  throw new TaskError(line, 'entry', `${show(entry)} is not one of ${known}`);
}

function readReference(source: unknown, line: number): readonly number[] {
  if (typeof source !== 'string')
    throw new TaskError(line, 'reference', `${show(source)} is not the body of a function`);
  const unknown = unknownText(source);
  if (unknown !== undefined) throw new TaskError(line, 'reference', `${quoted(unknown)} is not in the vocabulary`);
  const tokens = tokenize(source);
  if (tokens.length === 0 || tokens.length >= PROGRAM_LIMIT) {
    throw new TaskError(line, 'reference', `${tokens.length} tokens, not 1 to ${PROGRAM_LIMIT - 1}`);
  }
  // Tokens only mark the begin and end of a block. A different indentation would result in another program.
  const lost = indents(bodyText(tokens)).findIndex((indent, at) => indent !== indents(source)[at]);
  if (lost >= 0) {
    throw new TaskError(line, 'reference', `line ${lost + 1} is not indented by four spaces a block`);
  }
  return tokens;
}

/** Returns the indentation of each non-empty line, including tabs. */
function indents(source: string): readonly string[] {
  return source.split('\n').flatMap((text) => (text.trim() === '' ? [] : [/^\s*/.exec(text)?.[0] ?? '']));
}

function readTests(tests: unknown, parameters: number, line: number): readonly UnitTest[] {
  if (!Array.isArray(tests)) throw new TaskError(line, 'tests', `${show(tests)} is not a list`);
  if (tests.length < FEWEST_TESTS || tests.length > MAX_TESTS) {
    throw new TaskError(line, 'tests', `${tests.length} tests, not ${FEWEST_TESTS} to ${MAX_TESTS}`);
  }
  return tests.map((test: unknown, index): UnitTest => {
    const { args, expected, ...more } = (typeof test === 'object' && test !== null ? test : {}) as Record<
      string,
      unknown
    >;
    const field = `tests[${index}]`;
    const [unknown] = Object.keys(more);
    if (unknown !== undefined) throw new TaskError(line, `${field}.${unknown}`, 'unknown; known: args, expected');
    if (!Array.isArray(args)) throw new TaskError(line, `${field}.args`, `${show(args)} is not a list`);
    if (args.length !== parameters) {
      throw new TaskError(line, `${field}.args`, `${args.length} arguments for ${parameters} parameters`);
    }
    args.forEach((value: unknown, at) => {
      checkValue(value, line, `${field}.args[${at}]`);
    });
    if (expected === undefined) throw new TaskError(line, `${field}.expected`, 'missing');
    checkValue(expected, line, `${field}.expected`);
    return { args: args as readonly Value[], expected: expected as Value };
  });
}

function checkValue(value: unknown, line: number, field: string): void {
  if (Array.isArray(value)) {
    value.forEach((member: unknown, index) => {
      checkValue(member, line, `${field}[${index}]`);
    });
    return;
  }
  const plain =
    value === null || typeof value === 'boolean' || typeof value === 'string' || Number.isSafeInteger(value);
  if (!plain)
    throw new TaskError(line, field, `${show(value)} is not a whole number, text, true, false, null or a list`);
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : showText(value);
}
