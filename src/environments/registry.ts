import { bandit } from './bandit/index.ts';
import type { EnvironmentDescriptor } from './descriptor.ts';
import { repair } from './repair/index.ts';
import { repo } from './repo/index.ts';
import { search } from './search/index.ts';

/** The environments, in the order in which people are offered them; the first is the default. Another one is a line here. */
const REGISTERED = [search, repair, repo, bandit] as const;

/** Name of the environment in which the policy acts. */
export type EnvironmentName = (typeof REGISTERED)[number]['name'];

/** An environment of the list. */
export type RegisteredEnvironment = EnvironmentDescriptor<EnvironmentName>;

/** Every environment that a policy can be trained in, in the order of the list. */
export const ENVIRONMENT_LIST: readonly RegisteredEnvironment[] = REGISTERED;

/** Their names, in the same order. */
export const ENVIRONMENT_NAMES: readonly EnvironmentName[] = ENVIRONMENT_LIST.map(({ name }) => name);

/** The environment of links, files and commands that name none. */
export const DEFAULT_ENVIRONMENT: EnvironmentName = REGISTERED[0].name;

/** The same by name. */
export const ENVIRONMENTS = Object.fromEntries(
  ENVIRONMENT_LIST.map((environment) => [environment.name, environment]),
) as Readonly<Record<EnvironmentName, RegisteredEnvironment>>;
