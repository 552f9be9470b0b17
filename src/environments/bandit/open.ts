import type { EnvironmentModule } from '../environment.ts';
import { createBanditEnvironment } from './banditEnvironment.ts';
import { createProcessEnvironment } from './processEnvironment.ts';

/** Construction of the bandit: it needs its settings only. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) =>
    settings.process === 'two-turns' ? createBanditEnvironment(settings) : createProcessEnvironment(settings),
};
