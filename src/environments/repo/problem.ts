import { APP } from './families.ts';
import type { Call, CallValue, Repository } from './repository.ts';
import { tokenNumber } from './vocabulary.ts';

/** Difference of a wrong result from the expected one. */
export type Symptom = 'high' | 'low' | 'crash';

/** One unit test: a call and what it has to give. */
export interface UnitTest extends Call {
  readonly expected: number;
}

/** One wrong token. */
export interface Bug {
  /** Index of the file in the repository. */
  readonly at: number;
  /** 0 or 1: the statement. */
  readonly statement: number;
  /** Index of the token in the statement. */
  readonly token: number;
  readonly right: string;
  readonly wrong: string;
}

/** Starting point of the search for the bug: a function and its symptom. */
export interface Issue {
  readonly name: string;
  readonly symptom: Symptom;
}

/** One task: a repository with bugs, an issue, and tests. */
export interface RepoProblem {
  readonly id: string;
  readonly right: Repository;
  readonly broken: Repository;
  /** Every token in which `broken` differs from `right`. */
  readonly bugs: readonly Bug[];
  readonly issue: Issue;
  /** Tests that `test` runs, function by function, helpers first. */
  readonly visible: readonly UnitTest[];
  /** Further tests that `finish` runs. */
  readonly hidden: readonly UnitTest[];
  /** The tokens of `<issue> NAME SYMPTOM <repo> FILES <a>`. */
  readonly prompt: readonly number[];
}

/** Problems to train on, and problems that training never sees. */
export interface ProblemSplit {
  readonly training: readonly RepoProblem[];
  readonly heldOut: readonly RepoProblem[];
}

/** Tests of each function. */
export const VISIBLE_TESTS = 3;
export const HIDDEN_TESTS = 6;

/** The functions in the order in which they are tested: helpers by file, then `app`. */
export function testedFunctions([app, ...helpers]: Repository): readonly string[] {
  return [...helpers, app].map(({ name }) => name);
}

export function symptom(expected: number, got: CallValue): Symptom {
  if (got === 'crash') return 'crash';
  return got > expected ? 'high' : 'low';
}

/** Tokens that an episode starts with. */
export function promptTokens(repository: Repository, { name, symptom }: Issue): readonly number[] {
  return ['<issue>', name, symptom, '<repo>', ...repository.map(({ file }) => file), '<a>'].map(tokenNumber);
}

/** The tokens in which one repository differs from another with the same files and lengths. */
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

/** The call that `execute app.py` makes: the first visible test of `app`. */
export function exampleCall({ visible }: Pick<RepoProblem, 'visible'>): UnitTest {
  const test = visible.find(({ name }) => name === APP);
  if (!test) throw new Error('no visible test calls app');
  return test;
}
