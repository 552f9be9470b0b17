import { type PolicyState, readCheckpoint, writeCheckpoint } from '../../engine/shared.ts';
import type { Demonstration } from '../../environments/environment.ts';
import { RewardModel } from '../../training/rewardModel/rewardModel.ts';
import {
  type FinishedRewardModel,
  finished,
  readRewardModel,
  writeRewardModel,
} from '../../training/rewardModel/rewardModelFile.ts';
import { requireModelRewards, sampleTurns, trainedOnTurns } from '../../training/rewardModel/trainRewardModel.ts';
import {
  type Attempt,
  bestPrograms,
  type Expert,
  imitationStage,
  passesAll,
  relabelled,
} from '../../training/run/imitation.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import type { ExpertValues } from '../compare/arms.ts';
import { mean } from '../statistics.ts';

/**
 * Results of the generation in an expert iteration. Shares of programs that pass all tests refer to the last iteration.
 */
export interface ExpertFindings {
  /** Number of programs sampled in all iterations. */
  readonly programs: number;
  /** Share of the sampled programs that pass all tests, and share of the best programs of all problems. */
  readonly right: number;
  readonly bestRight: number;
}

export interface ExpertHooks {
  /** Reports the completed share of the work [0 to 1]. */
  readonly onShare?: (share: number) => void;
  /** Stops at the next step. */
  readonly signal?: AbortSignal;
}

class Stopped extends Error {}

/** Approximate share of an iteration's duration at which each step ends, for progress reports. */
const PARTS = { sampled: 0.5, verified: 0.7, imitated: 1 } as const;

/**
 * Runs expert iteration in memory, with the same steps as `turnwise expert-iteration`. Afterwards the trainer has the
 * last policy.
 * @param start initial policy of each iteration's training
 * @returns undefined if the work was stopped
 * @throws {RangeError} if no program is suitable for imitation, or if the policy writes reflections
 */
export async function expertIterations(
  trainer: Trainer,
  start: PolicyState,
  { iterations, expert, verifierSteps, epochs, learningRate, ...rollouts }: ExpertValues,
  { onShare, signal }: ExpertHooks = {},
): Promise<ExpertFindings | undefined> {
  const { seed, engine } = trainer;
  const attempts: Attempt[] = [];
  let [present, number] = [start, 0];
  let result: ExpertFindings | undefined;
  const at = (from: number, to: number, share: number) => {
    if (signal?.aborted) throw new Stopped();
    onShare?.((number - 1 + from + (to - from) * share) / iterations);
  };
  try {
    while (number < iterations) {
      number++;
      trainer.load(present, 0);
      const sampled = await sampledAttempts(trainer, number, { ...rollouts, seed }, (done, of) =>
        at(0, PARTS.sampled, done / of),
      );
      attempts.push(...sampled);
      trainer.load(start, 0);
      const options = { steps: verifierSteps, pairs: 0, samples: rollouts.samples, seed, noise: 0, bias: 0 };
      // The command reads the verifier and the policy back from files. The same conversion is applied here, so that
      // both give equal results.
      const { model } = await trainedOnTurns(trainer, attempts, options, {
        step: ({ done }) => at(PARTS.sampled, PARTS.verified, done / verifierSteps),
      });
      const stored = readRewardModel(engine.config, writeRewardModel(engine.config, model));
      const best = await bestOfAll(trainer, attempts, finished(stored), expert);
      if (best.size === 0) throw new RangeError('no program passes all tests, so imitation has no examples');
      const stage = { epochs, learningRate, seed };
      await imitated(trainer, start, relabelled(attempts, best), stage, (step, of) =>
        at(PARTS.verified, PARTS.imitated, step / of),
      );
      const { parameters } = await engine.readState();
      present = readCheckpoint(engine.config, writeCheckpoint(engine.config, { parameters }));
      result = {
        programs: attempts.length,
        right: shareOf(sampled),
        bestRight: shareOf([...best.values()]),
      };
    }
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  }
  trainer.load(present, 0);
  return result;
}

const shareOf = (attempts: readonly Attempt[]) => attempts.filter(passesAll).length / attempts.length;

// Steps of an expert iteration (docs/reference/repair.md#expert-iteration). The command saves the result of each step;
// the arms of a comparison run the steps in memory.

/** Distance between the draw keys of two iterations. It exceeds the number of problems, so no key is used twice. */
const ITERATION_KEYS = 0x1_0000;

/** Settings of the rollouts of an iteration. `samples` is per problem; `turns` is the maximum per rollout. */
export interface SamplingPlan {
  readonly samples: number;
  readonly turns: number;
  readonly temperature: number;
  readonly seed: number;
}

/**
 * Samples programs of the current policy for all training problems.
 * @param number number of the iteration, from 1
 * @param report callback with the number of completed problems; an error that it throws stops the work
 */
export async function sampledAttempts(
  trainer: Trainer,
  number: number,
  plan: SamplingPlan,
  report: (done: number, of: number) => void,
): Promise<readonly Attempt[]> {
  const { reads, scored } = requireModelRewards(trainer);
  const turns = await sampleTurns(trainer.measurer, 'train', { ...plan, key: number * ITERATION_KEYS }, report);
  return turns.map(({ number: task, ...turn }): Attempt => {
    return { task, ...reads(turn), score: scored(turn, 0), before: turn.before, written: turn.written };
  });
}

/** Returns the best program of each problem, by problem number. Problems without a suitable program are omitted. */
export async function bestOfAll(
  { engine }: Trainer,
  attempts: readonly Attempt[],
  verifier: FinishedRewardModel,
  expert: Expert,
): Promise<ReadonlyMap<number, Attempt>> {
  const model = new RewardModel(engine, verifier);
  try {
    return bestPrograms(attempts, await model.rewards(attempts), expert);
  } finally {
    model.destroy();
  }
}

/** Number of steps at the start and at the end of the imitation whose mean loss is reported. */
const REPORT_STEPS = 10;

/**
 * Trains a policy on the examples. Afterwards the trainer has the trained policy.
 * @param report callback with each step, the number of steps and the loss [nats]; an error that it throws stops the
 * work
 * @returns mean loss of the first and of the last steps
 */
export async function imitated(
  trainer: Trainer,
  start: PolicyState,
  examples: readonly Demonstration[],
  plan: Parameters<typeof imitationStage>[1],
  report: (step: number, of: number, loss: number) => void,
): Promise<[first: number, last: number]> {
  trainer.load(start, 0);
  const stage = imitationStage(examples, plan);
  const losses: number[] = [];
  await trainer.imitate(stage, (step, loss) => {
    if (!Number.isFinite(loss)) throw new Error(`imitation, step ${step}: the loss is not finite`);
    losses.push(loss);
    report(losses.length, stage.steps, loss);
  });
  return [mean(losses.slice(0, REPORT_STEPS)), mean(losses.slice(-REPORT_STEPS))];
}
