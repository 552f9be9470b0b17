import fc from 'fast-check';

/** Hostile cases of one kind, and the property that each case must have. */
export interface Fuzzer<Case> {
  readonly name: string;
  /** Description of the mutated data, for the list of fuzzers. */
  readonly about: string;
  /** Cases of a run inside `npm test`. */
  readonly caseCount: number;
  readonly cases: fc.Arbitrary<Case>;
  /** @throws where something does not hold; its message shows the case as a person would give it */
  checkCase(testCase: Case): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds fuzzers of any case
export type AnyFuzzer = Fuzzer<any>;

/** Result of a run. */
export interface FuzzResult {
  readonly cases: number;
  /** The smallest failing case and what failed, in words; undefined where all held. */
  readonly failure: string | undefined;
}

/** Runs a fuzzer: the same seed and number give the same cases. */
export async function runFuzzer<Case>(fuzzer: Fuzzer<Case>, cases: number, seed: number): Promise<FuzzResult> {
  const property = fc.asyncProperty(fuzzer.cases, (testCase) => fuzzer.checkCase(testCase));
  const details = await fc.check(property, { numRuns: cases, seed, verbose: fc.VerbosityLevel.None });
  if (!details.failed) return { cases: details.numRuns, failure: undefined };
  const { numRuns, numShrinks, counterexamplePath, errorInstance } = details;
  const error = errorInstance instanceof Error ? errorInstance : new Error(String(errorInstance));
  const failure =
    `${fuzzer.name}, seed ${seed}, path ${counterexamplePath}: case ${numRuns}, made smaller ${numShrinks} times\n` +
    `${error.message}\n${error.stack ?? ''}`;
  return { cases: numRuns, failure };
}
