import type { EnvironmentModule } from './environment.ts';
import type { EnvironmentName } from './registry.ts';

/**
 * Loads what makes an environment: `open.ts` of its folder. It stands apart from the list, which the page reads: so the
 * page's build has no copy of what only its worker runs.
 */
export async function loadEnvironment(name: EnvironmentName): Promise<EnvironmentModule> {
  const { environmentModule } = (await import(`./${name}/open.ts`)) as { environmentModule: EnvironmentModule };
  return environmentModule;
}
