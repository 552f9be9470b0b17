import type { PolicyState } from '../../engine/shared.ts';
import type { Demonstration } from '../../environments/environment.ts';
import { RewardModel } from '../../training/rewardModel/rewardModel.ts';
import type { FinishedRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { requireModelRewards, sampleTurns } from '../../training/rewardModel/trainRewardModel.ts';
import { type Attempt, bestPrograms, type Expert, imitationStage } from '../../training/run/imitation.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { mean } from '../statistics.ts';

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
