import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, StepResult, WarmStartStage } from '../environment.ts';
import { Demonstrator, type DemonstratorBehaviour } from './demonstrator.ts';
import { pick } from './drafts.ts';
import { RepoEpisode } from './episode.ts';
import type { RepoProblem } from './problem.ts';
import { type Bugs, MAX_STEPS, type RepoSettings } from './repoSettings.ts';
import { repoControls } from './rewards.ts';
import type { TestRunner } from './testing.ts';
import { tokenNumber } from './vocabulary.ts';

/**
 * The two stages of the warm start: scripted demonstrators that repair the training problems. Stage A shows all skills
 * without errors. The demonstrator of stage B wastes steps, edits wrong tokens and gives up. Reinforcement learning
 * starts there and mostly recovers the skills of stage A.
 */

const BATCH = 48;
/** Weight of the loss on tokens that the policy does not write. */
const CONTEXT_WEIGHT = 0.05;

const CLEAN: DemonstratorBehaviour = {
  silly: 0.05,
  fix: 1,
  wrong: 0,
  refix: 1,
  test: 0.6,
  submitEarly: 0,
  finishEarly: 0,
  blind: 0,
  part: 0.2,
};
const NOISY: DemonstratorBehaviour = {
  silly: 0.22,
  fix: 0.42,
  wrong: 0.25,
  refix: 0.45,
  test: 0.3,
  submitEarly: 0.35,
  finishEarly: 0.04,
  blind: 0.05,
  part: 0.25,
};

/** Behaviours of both stages. The noisy demonstrator finds bugs a little better if the problems have two bugs. */
export const DEMONSTRATOR_BEHAVIOURS: Readonly<
  Record<Bugs, { readonly clean: DemonstratorBehaviour; readonly noisy: DemonstratorBehaviour }>
> = {
  one: { clean: CLEAN, noisy: NOISY },
  two: {
    clean: { ...CLEAN, test: 0.9 },
    noisy: {
      silly: 0.2,
      fix: 0.6,
      wrong: 0.2,
      refix: 0.6,
      test: 0.45,
      submitEarly: 0.25,
      finishEarly: 0.03,
      blind: 0.04,
      part: 0.25,
    },
  },
};

/** Demonstration with its step results. */
export interface Demonstrated extends Demonstration {
  readonly results: readonly StepResult[];
}

/** Runs one scripted episode. Its actions have weight 1, other tokens 0.05, and the first token 0. */
export async function demonstrate(
  problem: RepoProblem,
  runner: TestRunner,
  conventions: DemonstratorBehaviour,
  steps: number,
  random: CounterRandom,
  controls = repoControls({}),
): Promise<Demonstrated> {
  const episode = new RepoEpisode(problem, runner, { controls, steps });
  const demonstrator = new Demonstrator(problem, conventions, random);
  const tokens = [...problem.prompt];
  const weights = tokens.map((_, index): number => (index === 0 ? 0 : CONTEXT_WEIGHT));
  const results: StepResult[] = [];
  while (!episode.isOver) {
    const action = demonstrator.next(episode.repository);
    const { stepResult, result } = await episode.perform(action);
    demonstrator.learn(action, result);
    const written = [action.tool, ...action.args].map(tokenNumber);
    const reply = stepResult.reply ?? [];
    tokens.push(...written, ...reply);
    weights.push(...written.map(() => 1), ...reply.map(() => CONTEXT_WEIGHT));
    results.push(stepResult);
  }
  return { tokens, weights, results };
}

/** Returns stage A and stage B, in this order. A batch depends only on the warm seed, its stage and its step. */
export function warmStartStages(
  training: readonly RepoProblem[],
  runner: TestRunner,
  { bugs, warmSeed }: RepoSettings,
): readonly WarmStartStage<'later'>[] {
  const stage = (stream: number, conventions: DemonstratorBehaviour) => (step: number) =>
    Promise.all(
      Array.from({ length: BATCH }, async (_, index) => {
        // Episodes alternate while programs run, so each episode needs separate draws.
        const random = new CounterRandom(warmSeed, stream, step * BATCH + index);
        const { tokens, weights } = await demonstrate(
          pick(random, training),
          runner,
          conventions,
          MAX_STEPS[bugs],
          random,
        );
        return { tokens, weights };
      }),
    );
  const { clean, noisy } = DEMONSTRATOR_BEHAVIOURS[bugs];
  const [cleanSteps, noisySteps] = bugs === 'two' ? [550, 250] : [800, 300];
  const common = {
    batch: BATCH,
    warmUpSteps: 40,
    optimizer: { beta1: 0.9, beta2: 0.98, weightDecay: 0.01, floor: 0.05 },
  };
  return [
    {
      ...common,
      name: 'A: clean repairs',
      steps: cleanSteps,
      learningRate: 4e-3,
      demonstrations: stage(STREAMS.skills, clean),
    },
    {
      ...common,
      name: 'B: noisy repairs',
      steps: noisySteps,
      learningRate: 1.5e-3,
      demonstrations: stage(STREAMS.demonstrations, noisy),
    },
  ];
}
