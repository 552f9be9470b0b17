import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { ComparedEnvironment } from './compared.ts';
import { REPAIR_COMPARED } from './repairCompared.ts';
import { REPO_COMPARED } from './repoCompared.ts';
import { SEARCH_COMPARED } from './searchCompared.ts';

/** How each environment is compared in. */
export const COMPARED: Readonly<Record<EnvironmentName, ComparedEnvironment>> = {
  search: SEARCH_COMPARED,
  repair: REPAIR_COMPARED,
  repo: REPO_COMPARED,
};
