import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { RunConfiguration } from '../data/configuration.ts';
import { worldFlags } from '../data/worldFlags.ts';
import { RewardModelError } from './rewardModelFile.ts';

/** The error where a world has no reward model, with the command that makes it. */
export function missingModel(world: Pick<RunConfiguration, 'environment' | 'settings'>): RewardModelError {
  const flags = worldFlags(world, ENVIRONMENTS[world.environment].afterWarmStart);
  return new RewardModelError(
    `there is no reward model of this world; make it with\n  npm run turnwise -- reward-model${flags}`,
  );
}
