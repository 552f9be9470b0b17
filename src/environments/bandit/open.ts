import type { EnvironmentModule } from '../environment.ts';
import { createBanditEnvironment } from './banditEnvironment.ts';
import { createProcessEnvironment } from './processEnvironment.ts';

/** How the bandit is made: it needs nothing beside its settings. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) =>
    settings.process === 'two-turns' ? createBanditEnvironment(settings) : createProcessEnvironment(settings),
};
