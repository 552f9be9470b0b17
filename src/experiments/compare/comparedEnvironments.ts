import { ENVIRONMENT_LIST, type EnvironmentName } from '../../environments/registry.ts';
import type { ComparedEnvironment } from './compared.ts';
import { factsCompared } from './factsCompared.ts';
import { REPAIR_COMPARED } from './repairCompared.ts';
import { REPO_COMPARED } from './repoCompared.ts';
import { SEARCH_COMPARED } from './searchCompared.ts';

/** Environments of which more is known than the facts that they count. */
const KNOWN: readonly ComparedEnvironment[] = [SEARCH_COMPARED, REPAIR_COMPARED, REPO_COMPARED];

/** How each environment is compared in. */
export const COMPARED = Object.fromEntries(
  ENVIRONMENT_LIST.map((one) => [
    one.name,
    KNOWN.find(({ environment }) => environment === one.name) ?? factsCompared(one),
  ]),
) as Readonly<Record<EnvironmentName, ComparedEnvironment>>;
