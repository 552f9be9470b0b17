import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { PicturedGroup } from './lanes.ts';
import first from './opening/search.json' with { type: 'json' };

const FILES = import.meta.glob<PicturedGroup>('./opening/*.json', { import: 'default' });

/** The opening group of the default environment, which the first load contains. */
export const FIRST_OPENING = first as unknown as PicturedGroup;

/**
 * Loads a group of the first batch of the warm start of an environment. `npm run record:opening` samples the groups.
 * @returns undefined if the environment has no recorded group
 */
export async function openingGroup(environment: EnvironmentName): Promise<PicturedGroup | undefined> {
  return environment === DEFAULT_ENVIRONMENT ? FIRST_OPENING : FILES[`./opening/${environment}.json`]?.();
}
