import { ENVIRONMENTS } from '../environments/registry.ts';
import { METRICS } from '../metrics/metricTable.ts';
import type { EnvironmentName } from '../training/data/configuration.ts';

/** Returns true if a line of an environment is a share from 0 to 1. An unknown line is not a share. */
export function isShare(environment: EnvironmentName, line: string): boolean {
  const [kind, name] = line.split(':');
  if (name === undefined) return METRICS.some((row) => row.name === line && row.unit === 'share');
  const { facts, heldOut } = ENVIRONMENTS[environment];
  const lines: readonly { readonly name: string; readonly format: string }[] = kind === 'fact' ? facts : heldOut;
  return lines.some((fact) => fact.name === name && fact.format === 'share');
}
