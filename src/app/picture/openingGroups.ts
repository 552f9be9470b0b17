import type { PicturedGroup } from './lanes.ts';
import groups from './openingGroups.json';

/** A group of the first batch of each warm start. `npm run record:opening` samples the groups. */
export const OPENING_GROUPS: Readonly<Partial<Record<string, PicturedGroup>>> = groups as unknown as Readonly<
  Record<string, PicturedGroup>
>;
