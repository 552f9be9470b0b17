import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { environmentName } from '../data/configurationTables.ts';
import type { Metrics } from '../data/protocol.ts';
import type { Trainer } from '../run/trainer.ts';

/** Keys of draws, apart from those of other evaluations: one for each batch of each step's measurement. */
const KEYS = 0x1000_0000;
const BATCHES = 16;
/**
 * Number of draws for each requested task. Tasks are drawn with replacement; with this number, a task is rarely
 * missing.
 */
const DRAWS = 4;

/** Members of a trainer that a measurement needs. */
type Sampler = Pick<Trainer, 'environment' | 'seed' | 'step' | 'capacityFor' | 'play'>;

/** Returns true if the policy is measured before this update. */
export function measuredAt(step: number, { heldOutMode, heldOutEvery }: ParameterValues): boolean {
  return heldOutMode !== 'off' && step % (heldOutEvery as number) === 0;
}

/**
 * Measures the present policy on held-out tasks, drawn as evaluations draw; the run stays as it was. The tasks are the same
 * throughout a run, the draws those of the step, so that a run that is continued measures the same again.
 * @returns null where the environment has no such tasks, on a user's own tasks, and `heldOutMode` does not insist
 * @throws what the environment says, where it does
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

/** The held-out tasks of a run: as many different ones as asked for, or as there are. */
function sampleEvaluationTasks({ environment, seed }: Sampler, count: number): readonly unknown[] {
  const random = new CounterRandom(seed, STREAMS.evaluation, KEYS);
  return [...new Set(environment.sampleTasks(random, DRAWS * count, 'held-out'))].slice(0, count);
}
