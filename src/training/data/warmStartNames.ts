import type { Reliability } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { RELIABLE, UNRELIABLE } from '../../environments/shared/reliability.ts';
import { defaults, type ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from './configuration.ts';

/**
 * Returns the name of the shipped warm start of a world in src/environments/<name>/checkpoints. It contains the
 * settings on which the warm start depends, sorted by name, so equal worlds have equal names.
 */
export function warmStartName(environment: EnvironmentName, settings: ParameterValues): string {
  const { afterWarmStart, addedSettings = [], settings: table } = ENVIRONMENTS[environment];
  const standard = defaults(table);
  const parts = Object.keys(settings)
    .filter((name) => !afterWarmStart.includes(name))
    .filter((name) => !addedSettings.includes(name) || settings[name] !== standard[name])
    .sort()
    .map((name) => `${name}-${settings[name]}`);
  return [environment, ...parts].join('_');
}

/** Returns the file name of a world's reward model, which is stored next to the warm start of the world. */
export function rewardModelName(
  environment: EnvironmentName,
  settings: ParameterValues,
  reliability: Reliability,
): string {
  return `${warmStartName(environment, settings)}_${modelName(reliability)}`;
}

/**
 * Returns the name of a reward model among those of its world. The two shipped models have special names.
 */
export function modelName({ noise, bias }: Reliability): string {
  const is = (known: Reliability) => noise === known.noise && bias === known.bias;
  if (is(RELIABLE)) return 'reward-model';
  if (is(UNRELIABLE)) return 'unreliable-reward-model';
  return `reward-model_noise-${noise}_bias-${bias}`;
}
