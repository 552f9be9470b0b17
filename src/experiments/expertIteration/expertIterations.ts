import { type PolicyState, readCheckpoint, writeCheckpoint } from '../../engine/shared.ts';
import { finished, readRewardModel, writeRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { trainedOnTurns } from '../../training/rewardModel/trainRewardModel.ts';
import { type Attempt, passesAll, relabelled } from '../../training/run/imitation.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import type { ExpertValues } from '../compare/expertArm.ts';
import { bestOfAll, imitated, sampledAttempts } from './expertSteps.ts';

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
