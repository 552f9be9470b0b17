import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, WarmStartStage } from '../environment.ts';
import { type Prior, sitePriors } from './prior.ts';
import type { ProgramRunner } from './programRunner.ts';
import type { RepairSettings } from './repairSettings.ts';
import { type Shown, showFirst, showRepair } from './repairs.ts';
import type { Problem } from './repairTasks.ts';

/**
 * The warm start: one stage that shows first attempts and repairs of training problems side by side, both with the
 * demonstrator's typical bugs. Reinforcement learning starts from a policy that is right about a third of the time.
 */

/** Demonstrations of a step, first attempts and repairs together. */
const BATCH = 112;
/** Keys of a step's draws: one for each demonstration. */
const STRIDE = 128;

/** Number of repairs among a step's demonstrations: 64 at the default share. */
function repairCount({ repairShare }: Pick<RepairSettings, 'repairShare'>): number {
  return Math.round(repairShare * BATCH);
}

/**
 * The one stage. A batch depends on the warm seed, the settings and its step alone.
 * @param problems those of training
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
  const first = BATCH - repairCount(settings);
  const draw = async (step: number, index: number): Promise<Shown> => {
    const random = new CounterRandom(settings.warmSeed, STREAMS.demonstrations, step * STRIDE + index);
    const problem = problems[random.integer(problems.length)];
    if (index < first) return showFirst(problem, priorOf(problem), random);
    return showRepair(runner, problem, priorOf(problem), settings, random);
  };
  return {
    name: 'first attempts and repairs',
    steps: settings.warmSteps,
    batch: BATCH,
    learningRate: 4e-3,
    warmUpSteps: 40,
    optimizer: { beta1: 0.9, beta2: 0.98, weightDecay: 0.05, floor: 0.05 },
    async demonstrations(step) {
      const shown = await Promise.all(Array.from({ length: BATCH }, (_, index) => draw(step, index)));
      return [...weighted(shown.slice(0, first)), ...weighted(shown.slice(first))];
    },
  };
}

/** Sequences whose completions weigh 1 together, token by token alike: both kinds count the same, whatever their number. */
function weighted(shown: readonly Shown[]): Demonstration[] {
  const total = shown.reduce((sum, { completion }) => sum + completion.length, 0);
  return shown.map(({ prompt, completion }) => ({
    tokens: [...prompt, ...completion],
    weights: [...prompt.map(() => 0), ...completion.map(() => 1 / total)],
  }));
}
