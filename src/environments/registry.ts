import { bandit } from './bandit/index.ts';
import type { EnvironmentDescriptor } from './descriptor.ts';
import { repair } from './repair/index.ts';
import { repo } from './repo/index.ts';
import { search } from './search/index.ts';

/** Environments in the order of the page; the first is the default. A new environment needs one entry here. */
const REGISTERED = [search, repair, repo, bandit] as const;

/** Name of a registered environment. */
export type EnvironmentName = (typeof REGISTERED)[number]['name'];

/** Descriptor of a registered environment. */
export type RegisteredEnvironment = EnvironmentDescriptor<EnvironmentName>;

/** All environments in which a policy can be trained, in the order of the page. */
export const ENVIRONMENT_LIST: readonly RegisteredEnvironment[] = REGISTERED;

/** Names of all environments, in the same order. */
export const ENVIRONMENT_NAMES: readonly EnvironmentName[] = ENVIRONMENT_LIST.map(({ name }) => name);

/** Environment of links, files and commands that do not name one. */
export const DEFAULT_ENVIRONMENT: EnvironmentName = REGISTERED[0].name;

/** All environments by name. */
export const ENVIRONMENTS = Object.fromEntries(
  ENVIRONMENT_LIST.map((environment) => [environment.name, environment]),
) as Readonly<Record<EnvironmentName, RegisteredEnvironment>>;
