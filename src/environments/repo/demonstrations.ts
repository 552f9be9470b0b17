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
 * The two warm-start stages, scripted agents at work on the training problems. A shows all skills cleanly; B is a policy that
 * dawdles, edits the wrong place and gives up: reinforcement learning starts from there and mostly gets A's skills back.
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

/**
 * Behaviours in both stages. If the problems have two bugs, the noisy demonstrator is a little better at finding them.
 */
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

/** A demonstration and how it went. */
export interface Demonstrated extends Demonstration {
  readonly results: readonly StepResult[];
}

/** One episode by the script. Its actions weigh 1, all else 0.05, the first token 0. */
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

/** Stage A and stage B, in this order; every batch depends on the warm seed, its stage and its step alone. */
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
