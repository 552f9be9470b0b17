import type { Reliability } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import { worldFlags } from '../data/worldFlags.ts';
import { RewardModelError } from './rewardModelFile.ts';

/** Returns the error for a world without a reward model. Its message has the command that trains the model. */
export function missingModel(
  world: Pick<RunConfiguration, 'environment' | 'settings'>,
  { noise, bias }: Reliability,
): RewardModelError {
  const flags = worldFlags(world, ENVIRONMENTS[world.environment].afterWarmStart);
  const unreliable = noise > 0 || bias > 0;
  const description = unreliable ? 'unreliable reward model' : 'reward model';
  const reliabilityFlags = unreliable ? ` --noise ${noise} --bias ${bias}` : '';
  return new RewardModelError(
    `there is no ${description} of this world; make it with\n  npm run turnwise -- reward-model${flags}${reliabilityFlags}`,
  );
}
