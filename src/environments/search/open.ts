import type { EnvironmentModule } from '../environment.ts';
import { createSearchEnvironment } from './searchEnvironment.ts';

/** Module that constructs the search environment from its settings. It loads no data. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) => createSearchEnvironment(settings),
};
