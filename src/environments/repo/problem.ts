import { APP } from './families.ts';
import type { Call, CallValue, Repository } from './repository.ts';
import { tokenNumber } from './vocabulary.ts';

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
