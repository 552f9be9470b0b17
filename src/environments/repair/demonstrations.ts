import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, WarmStartStage } from '../environment.ts';
import { type CallResult, returned } from '../shared/execution.ts';
import {
  type Attempt,
  choiceProgram,
  drawAttempt,
  drawChoice,
  type Prior,
  repairSkill,
  sitePriors,
} from './demonstrator.ts';
import { repairPrompt } from './feedback.ts';
import type { ProgramEvaluation, ProgramRunner } from './programRunner.ts';
import { changeBetween, reflectionTokens } from './reflection.ts';
import { MAX_WRITTEN_TESTS, type RepairSettings } from './repairSettings.ts';
import type { Problem, UnitTest } from './repairTasks.ts';
import { candidateInputs } from './template.ts';
import { canBeWritten, testTokens } from './verification.ts';
import { END, PROGRAM, VERIFY } from './vocabulary.ts';

/** Content of a demonstration: a prompt with its completion, including `<eos>`. */
export interface PromptCompletion {
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
}

/**
 * Maximum number of drawn attempts at a problem until one fails. If none fails, the demonstration is a first attempt.
 */
const MAX_ATTEMPTS = 8;
/**
 * Probabilities of repairs, in this order: the repaired program, the right program, and the same program again. The
 * remaining repairs are new draws.
 */
const MIX = {
  feedback: { repaired: 0.7, right: 0.05, repeated: 0.1 },
  blind: { repaired: 0.75, right: 0, repeated: 0.1 },
} as const;
/** Probability that a repair selects the right option if several options make the shown test pass. */
const RIGHT_OPTION = 0.8;

/**
 * Probability that a repair has a reflection, if the policy writes reflections. Half of the repairs have one, so that
 * both kinds are learned equally well.
 */
const REFLECTED = 0.5;

/** Settings of the demonstrator: the kind of its repairs, its reflections, and the world of its skills. */
type Demonstrator = Pick<RepairSettings, 'repairs' | 'reflection' | 'worldSeed'>;

/** Returns the demonstration of a first attempt. */
function showFirst(problem: Problem, prior: Prior, random: CounterRandom): PromptCompletion {
  return { prompt: problem.prompt, completion: [...drawAttempt(problem, prior, random).program, END] };
}

/** Returns the demonstration of an imperfect repair: a failed attempt, a test that it fails, and the next program. */
async function showRepair(
  runner: ProgramRunner,
  problem: Problem,
  prior: Prior,
  demonstrator: Demonstrator,
  random: CounterRandom,
): Promise<PromptCompletion> {
  let attempt = drawAttempt(problem, prior, random);
  let evaluation = await judge(runner, problem, attempt.program);
  for (let attempts = 1; !evaluation.passed.includes(false); attempts++) {
    if (attempts === MAX_ATTEMPTS) return showFirst(problem, prior, random);
    attempt = drawAttempt(problem, prior, random);
    evaluation = await judge(runner, problem, attempt.program);
  }
  const failing = [...evaluation.passed.keys()].filter((test) => !evaluation.passed[test]);
  const test = random.next() < 0.5 ? failing[0] : failing[random.integer(failing.length)];
  const answer = await nextProgram(runner, problem, prior, demonstrator, attempt, test, random);
  if (demonstrator.reflection === 'none' || random.next() >= REFLECTED) {
    return { prompt: repairPrompt(problem, evaluation, test), completion: [...answer, END] };
  }
  // The reflection describes the changes that the demonstrator makes.
  const reflection = reflectionTokens(changeBetween(attempt.program, answer));
  return {
    prompt: repairPrompt(problem, evaluation, test, 'reflection'),
    completion: [...reflection, PROGRAM, ...answer, END],
  };
}

async function nextProgram(
  runner: ProgramRunner,
  problem: Problem,
  prior: Prior,
  demonstrator: Demonstrator,
  attempt: Attempt,
  test: number,
  random: CounterRandom,
): Promise<readonly number[]> {
  const { repaired, right, repeated } = MIX[demonstrator.repairs];
  const drawn = random.next();
  if (drawn < repaired) {
    return demonstrator.repairs === 'feedback'
      ? repairWithFeedback(runner, problem, attempt, test, random)
      : repairBlindly(problem, attempt, demonstrator.worldSeed, random);
  }
  if (drawn < repaired + right) return problem.reference;
  if (drawn < repaired + right + repeated) return attempt.program;
  return choiceProgram(problem, drawChoice(prior, random));
}

/** Changes one site so that the shown test passes. Other bugs remain. */
async function repairWithFeedback(
  runner: ProgramRunner,
  problem: Problem,
  { choice, intended, program }: Attempt,
  test: number,
  random: CounterRandom,
): Promise<readonly number[]> {
  const changes = problem.template.sites.flatMap(({ options }, site) =>
    [...options.keys()].filter((option) => option !== choice[site]).map((option) => ({ site, option })),
  );
  const programs = changes.map(({ site, option }) => choiceProgram(problem, choice.with(site, option)));
  const [intendedEvaluation, ...evaluations] = await Promise.all(
    [intended, ...programs].map((candidate) => judge(runner, problem, candidate)),
  );
  // If the slip is the cause of the failure, the repair removes it.
  if (program !== intended && intendedEvaluation.passed[test]) return intended;
  const repairs = [...programs.keys()].filter((index) => evaluations[index].passed[test]);
  const rightly = repairs.filter((index) => changes[index].option === 0);
  if (rightly.length > 0 && random.next() < RIGHT_OPTION) return programs[rightly[random.integer(rightly.length)]];
  if (repairs.length > 0) return programs[repairs[random.integer(repairs.length)]];
  // No single change makes the test pass, so bugs are repaired at random.
  return choiceProgram(
    problem,
    choice.map((option) => (random.next() < 0.5 ? 0 : option)),
  );
}

/** Repairs each bug with the demonstrator's skill at its site, regardless of the feedback. */
function repairBlindly(problem: Problem, { choice }: Attempt, world: number, random: CounterRandom): readonly number[] {
  const { family, template } = problem;
  const repairedChoice = choice.map((option, site) =>
    random.next() < repairSkill(family, site, template.sites[site], world) ? 0 : option,
  );
  return choiceProgram(problem, repairedChoice);
}

function judge(runner: ProgramRunner, problem: Problem, program: readonly number[]): Promise<ProgramEvaluation> {
  return runner.judge(problem, [...program, END]);
}

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

/**
 * The warm start is one stage. It shows first attempts and repairs of training problems, both with the typical bugs of
 * a demonstrator. If the policy writes tests, it also shows right tests of such attempts. Reinforcement learning starts
 * from a policy that is right in about a third of its attempts.
 */

/** Number of demonstrations in one step, including first attempts and repairs. */
const BATCH = 112;
/** Number of keys reserved for the draws of a step. Each demonstration uses one. */
const STRIDE = 128;

/**
 * Number of verifications among the demonstrations, if tests are written. First attempts and repairs share the
 * remaining demonstrations.
 */
const VERIFICATIONS = 32;

/** Returns the numbers of first attempts and repairs in one step: 48 and 64 at the defaults. */
function countsOf({ repairShare, verification }: Pick<RepairSettings, 'repairShare' | 'verification'>) {
  const verifications = verification === 'written' ? VERIFICATIONS : 0;
  const repairs = Math.round(repairShare * (BATCH - verifications));
  return { first: BATCH - verifications - repairs, repairs };
}

/**
 * Returns the stage. A batch depends only on the warm seed, the settings and its step.
 * @param problems training problems
 */
export function warmStartStage(
  runner: ProgramRunner,
  problems: readonly Problem[],
  settings: RepairSettings,
): WarmStartStage<'later'> {
  const priors = new Map<Problem, Prior>();
  const priorOf = (problem: Problem) => {
    const prior =
      priors.get(problem) ?? sitePriors(problem.family, problem.template, settings.prior, settings.worldSeed);
    priors.set(problem, prior);
    return prior;
  };
  const { first, repairs } = countsOf(settings);
  const pool = new TestPool(runner, settings.worldSeed);
  const draw = async (step: number, index: number): Promise<PromptCompletion> => {
    const random = new CounterRandom(settings.warmSeed, STREAMS.demonstrations, step * STRIDE + index);
    const problem = problems[random.integer(problems.length)];
    if (index < first) return showFirst(problem, priorOf(problem), random);
    if (index < first + repairs) return showRepair(runner, problem, priorOf(problem), settings, random);
    const verification = await showVerification(runner, problem, priorOf(problem), pool, random);
    return verification ?? showFirst(problem, priorOf(problem), random);
  };
  const name = settings.verification === 'written' ? 'first attempts, repairs and tests' : 'first attempts and repairs';
  return {
    name,
    steps: settings.warmSteps,
    batch: BATCH,
    learningRate: 4e-3,
    warmUpSteps: 40,
    optimizer: { beta1: 0.9, beta2: 0.98, weightDecay: 0.05, floor: 0.05 },
    async demonstrations(step) {
      const examples = await Promise.all(Array.from({ length: BATCH }, (_, index) => draw(step, index)));
      const kinds = [examples.slice(0, first), examples.slice(first, first + repairs), examples.slice(first + repairs)];
      return kinds.flatMap(weighted);
    },
  };
}

/**
 * Returns sequences whose completions have the total weight 1, with the same weight for each token. Each kind of
 * demonstration therefore has the same weight, regardless of its number.
 */
function weighted(examples: readonly PromptCompletion[]): Demonstration[] {
  const total = examples.reduce((sum, { completion }) => sum + completion.length, 0);
  return examples.map(({ prompt, completion }) => ({
    tokens: [...prompt, ...completion],
    weights: [...prompt.map(() => 0), ...completion.map(() => 1 / total)],
  }));
}
