import type { PolicyState } from '../../engine/shared.ts';
import type { Demonstration } from '../../environments/environment.ts';
import { imitationStage } from '../../training/expertIteration/imitation.ts';
import { type Attempt, bestPrograms, type Expert } from '../../training/expertIteration/relabel.ts';
import { RewardModel } from '../../training/rewardModel/rewardModel.ts';
import type { FinishedRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { requireModelRewards, sampleTurns } from '../../training/rewardModel/sampledTurns.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { mean } from '../statistics.ts';

// The steps of an iteration (docs/reference/repair.md#expert-iteration), for the command that keeps each of them and for the arms of a
// comparison.

/** Draws of an iteration are those of no other: there are fewer problems than that. */
const ITERATION_KEYS = 0x1_0000;

/** Settings of the rollouts of an iteration. */
export interface SamplingPlan {
  readonly samples: number;
  readonly turns: number;
  readonly temperature: number;
  readonly seed: number;
}

/**
 * Samples the programs that the present policy writes for all training problems.
 * @param number of the iteration, from 1
 * @param report callback with the share of the problems that are done; an error that it throws ends the work
 */
export async function sampledAttempts(
  trainer: Trainer,
  number: number,
  plan: SamplingPlan,
  report: (done: number, of: number) => void,
): Promise<readonly Attempt[]> {
  const { reads, scored } = requireModelRewards(trainer);
  const turns = await sampleTurns(trainer, 'train', { ...plan, key: number * ITERATION_KEYS }, report);
  return turns.map(({ number: task, ...turn }): Attempt => {
    return { task, ...reads(turn), score: scored(turn, 0), before: turn.before, written: turn.written };
  });
}

/** The best program of every problem, by number of the problem; none where no program is one to imitate. */
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

/** Number of steps at the beginning and the end of the imitation whose losses are reported. */
const REPORT_STEPS = 10;

/**
 * Trains a policy on the examples. Afterwards the trainer holds the trained policy.
 * @param report callback with every step of all, and its loss in nats; an error that it throws ends the work
 * @returns mean loss of the first and the last steps
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
