import type { Continuation } from '../../../src/engine/shared.ts';
import type { AnyEnvironment } from '../../../src/environments/environment.ts';
import type { TruthSampler } from '../../../src/experiments/truth/measuredGroup.ts';
import { Collector, type Evaluation, type SampledBatch } from '../../../src/training/collect/collector.ts';
import { CONTEXT, createSmallWorld, engineOf, SmallWorldGenerator, type SmallWorldOptions } from './collectWorld.ts';

export const REPLIES: SmallWorldOptions = { next: 'reply', turns: 3 };
export const PROMPTS: SmallWorldOptions = { next: 'prompt', turns: 3 };
export const SEQUENCES = 60;

/** Generator of a deterministic policy, which always samples the token 3. */
export class CertainGenerator extends SmallWorldGenerator {
  override async turn(...[request, settings]: Parameters<SmallWorldGenerator['turn']>) {
    const generated = await super.turn(request, settings);
    for (const { sequence, length, limit } of request) {
      this.table.fill(3, sequence * CONTEXT + length, sequence * CONTEXT + length + limit);
    }
    this.relearn(request);
    return generated;
  }
}

/** Returns a trainer of the little world without a GPU, and the requests to its generator. */
export function createSmallTrainer(worldOptions: SmallWorldOptions, generator = new SmallWorldGenerator(SEQUENCES)) {
  const environment = createSmallWorld(worldOptions) as AnyEnvironment;
  const collector = new Collector(environment, engineOf(generator, SEQUENCES));
  const trainer: Omit<TruthSampler, 'play'> & Sampler = {
    environment,
    controls: { groupSize: 6, rule: 'grpo-or' },
    seed: 7,
    tokenProbabilities: async () => [],
    runCustomRules: async () => {},
    addRuleInputs: async (_, batch) => batch,
    valuedBy: async (_, batch) => batch,
    // The policy has two parameters, one for even and one for odd tokens.
    gradient: async ({ rollouts }, advantage) => {
      const sums = new Float32Array(2);
      for (const { tokens, turnOf, turns } of rollouts) {
        turnOf.forEach((turn, at) => {
          if (turn >= 0) sums[tokens[at] % 2] += advantage[turns[turn].forestTurn];
        });
      }
      return sums;
    },
    capacityFor: (sequences = 1) => Math.floor(SEQUENCES / sequences),
    step: 5,
    play: (tasks, key, { branching = [1], ...rest } = {}) =>
      collector.collect({
        step: 0,
        tasks,
        branching,
        controls: {},
        sampling: { temperature: 1, topP: 1, topK: 0 },
        seed: 7,
        key,
        ...rest,
      }),
  };
  return { trainer, requests: generator.requests as Continuation[][] };
}

/** Trainer whose batches include their tasks. */
interface Sampler {
  readonly step: number;
  play(tasks: readonly unknown[], key: number, evaluation?: Evaluation): Promise<SampledBatch>;
}
