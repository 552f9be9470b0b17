import type { Value } from '@turnwise/python-sandbox/types';
import { allDrafts } from './families.ts';
import { tokenize } from './source.ts';
import { type Draft, parseTemplate, renderTemplate, type Template } from './template.ts';
import { COMPLETE, PROMPT, promptToken, type Signature, signatureToken } from './vocabulary.ts';

/** Unit test: arguments and the expected result. */
export interface UnitTest {
  readonly args: readonly Value[];
  readonly expected: Value;
}

/** Task: write the body of the function that the prompt describes. */
export interface RepairTask {
  /** Number of the task, unique among the tasks of an environment. */
  readonly id: number;
  readonly promptTerms: readonly string[];
  readonly signature: Signature;
  /** Name of the function. */
  readonly entry: string;
  /** Tokens of `<p> words def(a,k) <c>`. */
  readonly prompt: readonly number[];
  /** Tokens of a right program. */
  readonly reference: readonly number[];
  /** Tests of the task. Evaluations may show the first VISIBLE_TESTS of them. */
  readonly tests: readonly UnitTest[];
  readonly heldOut: boolean;
}

/** Task of a family. Its right and wrong programs result from a template. */
export interface Problem extends RepairTask {
  readonly family: string;
  readonly template: Template;
  /** Up to EASY_TESTS additional tests. Some program that ignores the question passes them. */
  readonly easyTests: readonly UnitTest[];
}

/** Test in the shipped file: the arguments, followed by the expected value. */
export type TestRecord = readonly Value[];

/** Shipped data of a problem, which Python computes. `turnwise problems` generates it. */
export interface ProblemRecord {
  readonly words: string;
  readonly signature: Signature;
  readonly heldOut: boolean;
  readonly tests: readonly TestRecord[];
  readonly easy: readonly TestRecord[];
}

/** Name of the function in all shipped problems. */
export const ENTRY = 'f';

/**
 * Returns the tokens of `<p> words def(a,k) <c>`.
 * @throws {RangeError} for a word that is not a token
 */
export function promptTokens(promptTerms: readonly string[], signature: Signature): readonly number[] {
  return [PROMPT, ...promptTerms.map(promptToken), signatureToken(signature), COMPLETE];
}

/** Displayed text of a function's arguments. */
const ARGUMENTS: Readonly<Record<Signature, string>> = {
  a: 'List',
  ak: 'List and value',
  ab: 'Two lists',
  n: 'Number',
  nk: 'Two numbers',
  s: 'Text',
};

/**
 * Formats a problem for users: the arguments, and the words of the prompt with signs and commas.
 * @example
 * questionText({ promptTerms: ['index', 'of', 'value', 'else', 'neg', '1'], signature: 'ak' })
 * // 'List and value: index of value, else −1'
 */
export function questionText({ promptTerms, signature }: Pick<RepairTask, 'promptTerms' | 'signature'>): string {
  const text = promptTerms
    .join(' ')
    .replace(/\bneg (?=\d)/g, '−')
    .replace(/ else /g, ', else ')
    .replace(/\bof (?=(above|at least|at most|below|greater than|less than) )/g, 'of numbers ')
    .replace(/\bof multiple of /g, 'of multiples of ');
  return `${ARGUMENTS[signature]}: ${text}`;
}

/**
 * Returns all problems of the shipped records.
 * @throws {Error} if the records do not match the families; they must then be recorded again
 */
export function readProblems(records: readonly ProblemRecord[]): readonly Problem[] {
  const drafts = allDrafts();
  if (records.length !== drafts.length) {
    throw new Error(`${records.length} problems are recorded, the families have ${drafts.length}: record them again`);
  }
  return drafts.map((draft, id) => readProblem(draft, id, records[id]));
}

function readProblem(draft: Draft, id: number, record: ProblemRecord): Problem {
  const { family, promptTerms, signature } = draft;
  if (record.words !== promptTerms.join(' ') || record.signature !== signature) {
    throw new Error(
      `recorded problem ${id} is "${record.words}", the families have "${promptTerms.join(' ')}": record them again`,
    );
  }
  const template = parseTemplate(draft.template);
  const right = template.sites.map(() => 0);
  const { heldOut, tests, easy } = record;
  return {
    id,
    family,
    promptTerms,
    signature,
    entry: ENTRY,
    template,
    prompt: promptTokens(promptTerms, signature),
    reference: tokenize(renderTemplate(template, right)),
    tests: tests.map(unitTest),
    easyTests: easy.map(unitTest),
    heldOut,
  };
}

function unitTest(record: TestRecord): UnitTest {
  return { args: record.slice(0, -1), expected: record[record.length - 1] };
}

/** Loads the shipped problems at the first request. */
export async function loadProblems(): Promise<readonly Problem[]> {
  const { default: records } = await import('./problems.json');
  return readProblems(records as unknown as readonly ProblemRecord[]);
}
