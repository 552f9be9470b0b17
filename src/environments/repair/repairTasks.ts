import type { Value } from '../../sandbox/types.ts';
import type { Draft } from './draft.ts';
import { allDrafts } from './families.ts';
import { tokenize } from './source.ts';
import { parseTemplate, renderTemplate, type Template } from './template.ts';
import { COMPLETE, PROMPT, promptToken, type Signature, signatureToken } from './vocabulary.ts';

/** One unit test. */
export interface UnitTest {
  readonly args: readonly Value[];
  readonly expected: Value;
}

/** One task: write the body of the function that the words ask for. */
export interface RepairTask {
  /** Unique among the tasks of an environment. */
  readonly id: number;
  readonly promptTerms: readonly string[];
  readonly signature: Signature;
  /** Name of the function. */
  readonly entry: string;
  /** The tokens of `<p> words def(a,k) <c>`. */
  readonly prompt: readonly number[];
  /** A right program's tokens. */
  readonly reference: readonly number[];
  /** The first VISIBLE_TESTS may be shown in evaluations. */
  readonly tests: readonly UnitTest[];
  readonly heldOut: boolean;
}

/** A task of a family: its programs, right and wrong, come from a template. */
export interface Problem extends RepairTask {
  readonly family: string;
  readonly template: Template;
  /** Up to EASY_TESTS more tests, each of which some program that ignores the question passes. */
  readonly easyTests: readonly UnitTest[];
}

/** A test as it is shipped: the arguments and, last, the wanted value. */
export type TestRecord = readonly Value[];

/** Data of a problem that Python computes and that is shipped: `turnwise problems` makes it. */
export interface ProblemRecord {
  readonly words: string;
  readonly signature: Signature;
  readonly heldOut: boolean;
  readonly tests: readonly TestRecord[];
  readonly easy: readonly TestRecord[];
}

/** Name of the function that all problems ask for. */
export const ENTRY = 'f';

/** The tokens of `<p> words def(a,k) <c>`. @throws {RangeError} for a word that is no token */
export function promptTokens(promptTerms: readonly string[], signature: Signature): readonly number[] {
  return [PROMPT, ...promptTerms.map(promptToken), signatureToken(signature), COMPLETE];
}

/** Arguments of a function in words. */
const ARGUMENTS: Readonly<Record<Signature, string>> = {
  a: 'List',
  ak: 'List and value',
  ab: 'Two lists',
  n: 'Number',
  nk: 'Two numbers',
  s: 'Text',
};

/**
 * Returns a problem as people read it: the arguments, and the words of the prompt with signs and commas.
 * @example questionText({ words: ['index', 'of', 'value', 'else', 'neg', '1'], signature: 'ak' })
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
 * All problems, from the shipped records.
 * @throws {Error} where the records are not those of these families: they must be made again
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

/** The shipped problems; read when they are first asked for. */
export async function loadProblems(): Promise<readonly Problem[]> {
  const { default: records } = await import('./problems.json');
  return readProblems(records as unknown as readonly ProblemRecord[]);
}
