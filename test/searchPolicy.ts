import { type LoadedPolicy, loadStart } from '../src/cli/framework/policyFiles.ts';
import type { PolicyConfiguration } from '../src/engine/shared.ts';
import { createSearchEnvironment } from '../src/environments/search/open.ts';
import type { ParameterValues } from '../src/parameters/parameters.ts';
import { policyFor } from '../src/training/run/openEnvironment.ts';

/** Returns the shape of the policy in a world of the Search environment. */
export function policyOf(settings: ParameterValues): PolicyConfiguration {
  return policyFor(createSearchEnvironment(settings));
}

/** Reads the warm start of a world of the Search environment. */
export function loadPolicy(settings: ParameterValues): LoadedPolicy {
  return loadStart({ environment: 'search', settings, policy: policyOf(settings) }, undefined);
}
