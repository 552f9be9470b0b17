import type { EnvironmentModule } from '../environment.ts';
import { createBanditEnvironment } from './banditEnvironment.ts';

/** How the bandit is made: it needs nothing beside its settings. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) => createBanditEnvironment(settings),
};
