import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { type CallResult, returned } from '../shared/execution.ts';
import { drawAttempt } from './firstAttempt.ts';
import { candidateInputs } from './inputs.ts';
import type { Prior } from './prior.ts';
import type { ProgramRunner } from './programRunner.ts';
import { MAX_WRITTEN_TESTS } from './repairSettings.ts';
import type { PromptCompletion } from './repairs.ts';
import type { Problem, UnitTest } from './repairTasks.ts';
import { END, VERIFY } from './vocabulary.ts';
import { canBeWritten, testTokens } from './writtenTests.ts';

// Demonstrations of verifications for the warm start: right tests of a first attempt. Their inputs can differ from the
// inputs of the problem's tests.

/**
 * Maximum number of tokens of a shown test. MAX_WRITTEN_TESTS such tests fit into a turn, and their inputs are short
 * enough to compute the result.
 */
const LONGEST = 14;
/** Probability that the attempt fails the first test, if such a test exists. */
const CATCHES = 0.5;
/** Offset of the keys for the draws of inputs, which separates them from other draws of a world. */
const INPUTS = 0x7e57_0000;

/**
 * Right tests from which a demonstrator selects, by problem. The tests of a problem are computed at their first use.
 */
export class TestPool {
  private readonly known = new Map<Problem, Promise<readonly UnitTest[]>>();

  constructor(
    private readonly runner: ProgramRunner,
    private readonly worldSeed: number,
  ) {}

  /** Returns right tests of a problem in the order of `candidateInputs`; empty if no test can be written. */
  of(problem: Problem): Promise<readonly UnitTest[]> {
    const known = this.known.get(problem) ?? this.createTests(problem);
    this.known.set(problem, known);
    return known;
  }

  private async createTests(problem: Problem): Promise<readonly UnitTest[]> {
    const { promptTerms, signature, id, reference } = problem;
    const literals = [...new Set(promptTerms.filter((term) => /^\d+$/.test(term)).map(Number))].sort((a, b) => a - b);
    const random = new CounterRandom(this.worldSeed, STREAMS.world, INPUTS + id);
    const inputs = candidateInputs(signature, random, literals);
    const results = await this.runner.calls(problem, reference, inputs);
    const visited = new Set<string>();
    return inputs.flatMap((args, call): UnitTest[] => {
      const result = results[call];
      if (!('value' in result)) return [];
      const test = { args, expected: result.value };
      const key = testTokens(test).join();
      if (visited.has(key) || testTokens(test).length > LONGEST || !canBeWritten(test, signature)) return [];
      visited.add(key);
      return [test];
    });
  }
}

/** Returns the demonstration of right tests for a first attempt; undefined if no test of the problem can be written. */
export async function showVerification(
  runner: ProgramRunner,
  problem: Problem,
  prior: Prior,
  pool: TestPool,
  random: CounterRandom,
): Promise<PromptCompletion | undefined> {
  const tests = await pool.of(problem);
  if (tests.length === 0) return undefined;
  const { program } = drawAttempt(problem, prior, random);
  const results = await runner.calls(
    problem,
    program,
    tests.map(({ args }) => args),
  );
  const order = random.permutation(tests.length);
  const caught = random.next() < CATCHES ? order.find((index) => fails(results[index], tests[index])) : undefined;
  const chosen = caught === undefined ? order : [caught, ...order.filter((index) => index !== caught)];
  const completion = chosen.slice(0, MAX_WRITTEN_TESTS).flatMap((index) => testTokens(tests[index]));
  return { prompt: [...problem.prompt, ...program, VERIFY], completion: [...completion, END] };
}

function fails(result: CallResult, { expected }: UnitTest): boolean {
  return !returned(result, expected);
}
