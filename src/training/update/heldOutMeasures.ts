import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { environmentName } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import type { Trainer } from '../run/trainer.ts';

/** First key of the draws, separate from other evaluations, and number of keys per measurement, one per batch. */
const KEYS = 0x1000_0000;
const BATCHES = 16;
/**
 * Number of draws per requested task. Tasks are drawn with replacement, and this number results in enough distinct
 * tasks.
 */
const DRAWS = 4;

/** Members of a trainer that a measurement needs. */
type Sampler = Pick<Trainer, 'environment' | 'seed' | 'step' | 'capacityFor' | 'play'>;

/** Returns true if the policy is measured on held-out tasks before an update. */
export function measuredAt(step: number, { heldOutMode, heldOutEvery }: ParameterValues): boolean {
  return heldOutMode !== 'off' && step % (heldOutEvery as number) === 0;
}

/**
 * Measures the current policy on held-out tasks with the sampling of evaluations. The run does not change. The tasks
 * are the same throughout a run, and the draws depend on the step, so a resumed run repeats the same measurements.
 * @returns metrics by name; null if there are no held-out tasks (for example among custom tasks), unless `heldOutMode`
 *   is `on`
 * @throws the error of the environment, if `heldOutMode` is `on` and there are no held-out tasks
 */
export async function measureHeldOut(
  sampler: Sampler,
  { heldOutMode, heldOutTasks }: ParameterValues,
): Promise<Metrics['heldOut']> {
  const { heldOut, heldOutAttempts, evaluation } = ENVIRONMENTS[environmentName(sampler.environment.name)];
  if (heldOut.length === 0) return null;
  let tasks: readonly unknown[];
  try {
    tasks = sampleEvaluationTasks(sampler, heldOutTasks as number);
  } catch (error) {
    if (heldOutMode === 'on') throw error;
    return null;
  }
  const sampling = { temperature: 1, topP: 1, topK: 0, ...evaluation };
  const turns = heldOutAttempts && (sampler.environment.attemptTurns?.(heldOutAttempts) ?? heldOutAttempts);
  const play = turns === undefined ? {} : { play: { mode: 'evaluate', maxTurns: turns } as const };
  const size = sampler.capacityFor(turns ?? 1);
  const batches: RolloutBatch[] = [];
  for (let first = 0; first < tasks.length; first += size) {
    const key = KEYS + sampler.step * BATCHES + batches.length;
    batches.push(await sampler.play(tasks.slice(first, first + size), key, { ...play, sampling }));
  }
  const episodes = { trajectories: batches.flatMap((batch) => batch.trajectories) };
  return Object.fromEntries(heldOut.map(({ name, ofEpisodes }) => [name, ofEpisodes(episodes)]));
}

/** Returns distinct held-out tasks of a run, at most `count`. */
function sampleEvaluationTasks({ environment, seed }: Sampler, count: number): readonly unknown[] {
  const random = new CounterRandom(seed, STREAMS.evaluation, KEYS);
  return [...new Set(environment.sampleTasks(random, DRAWS * count, 'held-out'))].slice(0, count);
}
