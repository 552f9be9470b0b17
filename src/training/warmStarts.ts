import type { ParameterValues } from '../parameters/parameters.ts';

/**
 * Name of the shipped checkpoint of a world's warm start, below src/environments/search/checkpoints; settings in the
 * order of their names, so that the same world always gives the same name.
 */
export function warmStartName(environment: string, settings: ParameterValues): string {
  const parts = Object.keys(settings)
    .sort()
    .map((name) => `${name}-${settings[name]}`);
  return [environment, ...parts].join('_');
}
