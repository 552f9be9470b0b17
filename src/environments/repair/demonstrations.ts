import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, WarmStartStage } from '../environment.ts';
import { type Prior, sitePriors } from './prior.ts';
import type { ProgramRunner } from './programRunner.ts';
import type { RepairSettings } from './repairSettings.ts';
import { type PromptCompletion, showFirst, showRepair } from './repairs.ts';
import type { Problem } from './repairTasks.ts';
import { showVerification, TestPool } from './visibleVerification.ts';

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
