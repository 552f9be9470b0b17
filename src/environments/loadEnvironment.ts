import type { EnvironmentModule } from './environment.ts';
import type { EnvironmentName } from './registry.ts';

/**
 * Loads the code of an environment: `open.ts` in its folder. The page imports only the list of environments, so this
 * function is in a separate file. The page's build then contains no code that only its worker runs.
 */
export async function loadEnvironment(name: EnvironmentName): Promise<EnvironmentModule> {
  const { environmentModule } = (await import(`./${name}/open.ts`)) as { environmentModule: EnvironmentModule };
  return environmentModule;
}
