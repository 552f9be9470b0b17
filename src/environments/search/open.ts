import type { EnvironmentModule } from '../environment.ts';
import { createSearchEnvironment } from './searchEnvironment.ts';

/** Construction of the search environment: it needs its settings only. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) => createSearchEnvironment(settings),
};
