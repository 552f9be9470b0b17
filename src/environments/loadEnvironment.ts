import type { EnvironmentModule } from './environment.ts';
import type { EnvironmentName } from './registry.ts';

/**
 * Loads the code of an environment: `open.ts` of its folder. This function is in a separate file from the list, which
 * the page reads. So the page's build has no copy of code that only its worker runs.
 */
export async function loadEnvironment(name: EnvironmentName): Promise<EnvironmentModule> {
  const { environmentModule } = (await import(`./${name}/open.ts`)) as { environmentModule: EnvironmentModule };
  return environmentModule;
}
