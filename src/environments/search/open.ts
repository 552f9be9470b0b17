import type { EnvironmentModule } from '../environment.ts';
import { createSearchEnvironment } from './searchEnvironment.ts';

/** How the search environment is made: it needs nothing beside its settings. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) => createSearchEnvironment(settings),
};
