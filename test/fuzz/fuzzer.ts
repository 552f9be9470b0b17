import fc from 'fast-check';

/** Generator of hostile cases of one kind, and the property that each case must have. */
export interface Fuzzer<Case> {
  readonly name: string;
  /** Description of the mutated data in the list of fuzzers. */
  readonly about: string;
  /** Number of cases of a run in `npm test`. */
  readonly caseCount: number;
  readonly cases: fc.Arbitrary<Case>;
  /**
   * Checks the property for one case.
   * @throws {Error} if the property does not hold; the message shows the case in readable form
   */
  checkCase(testCase: Case): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds fuzzers of any case
export type AnyFuzzer = Fuzzer<any>;

/** Result of a run of a fuzzer. */
export interface FuzzResult {
  readonly cases: number;
  /** Description of the smallest failing case and its failure; undefined if all cases pass. */
  readonly failure: string | undefined;
}

/** Runs a fuzzer. The same seed and number of cases generate the same cases. */
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
