import { ENTRY, type Job } from '../../sandbox/types.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import { LiteralError, readArguments, readExpectation } from './literals.ts';

/** A test as it is being written: Python literals that may not be such yet. */
export interface TestDraft {
  /** Names the test for as long as it exists. */
  readonly id: number;
  readonly args: string;
  readonly expected: string;
}

/** A job as it is being written. */
export interface Draft {
  readonly program: string;
  readonly entry: string;
  readonly tests: readonly TestDraft[];
}

/** What is wrong with fields of a draft, by the field: the function's name, or a test's arguments or expectation. */
export type Refusal = { readonly [field in 'entry' | `${number}.args` | `${number}.expected`]?: string };

/** The job that a draft is, or every field of it that cannot be read. */
export function readJob(draft: Draft): { readonly job: Job } | { readonly refusal: Refusal } {
  const refusal: { -readonly [field in keyof Refusal]: string } = {};
  const attempt = <T>(field: keyof Refusal, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error;
      refusal[field] = error.message;
      return undefined;
    }
  };
  const entry = draft.entry.trim();
  if (!ENTRY.test(entry)) refusal.entry = pythonStrings.badEntry(entry);
  const tests = draft.tests.map(({ id, args, expected }) => ({
    args: attempt(`${id}.args`, () => readArguments(args)) ?? [],
    expected: attempt(`${id}.expected`, () => readExpectation(expected)) ?? null,
  }));
  return Object.keys(refusal).length > 0 ? { refusal } : { job: { program: draft.program, entry, tests } };
}
