import type { EnvironmentModule } from '../environment.ts';
import { createBanditEnvironment } from './banditEnvironment.ts';
import { createProcessEnvironment } from './processEnvironment.ts';

/** Module that constructs the bandit from its settings. It loads no data. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) =>
    settings.process === 'two-turns' ? createBanditEnvironment(settings) : createProcessEnvironment(settings),
};
