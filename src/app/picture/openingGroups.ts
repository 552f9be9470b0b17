import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import type { PicturedGroup } from './lanes.ts';
import first from './opening/search.json' with { type: 'json' };

const FILES = import.meta.glob<PicturedGroup>('./opening/*.json', { import: 'default' });

/** Opening group of the default environment. It is in the bundle of the first load. */
export const FIRST_OPENING = first as unknown as PicturedGroup;

/**
 * Loads the opening group of an environment: a group of the first batch that its warm start samples.
 * `npm run record:opening` records the groups.
 * @returns undefined if the environment has no recorded group
 */
export async function openingGroup(environment: EnvironmentName): Promise<PicturedGroup | undefined> {
  return environment === DEFAULT_ENVIRONMENT ? FIRST_OPENING : FILES[`./opening/${environment}.json`]?.();
}
