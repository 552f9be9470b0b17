import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { Metrics } from '../../../src/training/data/protocol.ts';
import type { Run } from '../../../src/training/run/run.ts';
import { type Controls, startTestRun } from './startedTestRun.ts';

/** Starts a bandit run from initial weights, because the bandit has no warm start. */
export function banditRun(controls: Controls = {}, settings: Controls = {}): Promise<Run> {
  const base = defaultConfiguration('bandit');
  return startTestRun({
    ...base,
    settings: { ...base.settings, ...settings },
    controls: { ...base.controls, ...controls },
  });
}

export async function update(run: Run): Promise<Metrics> {
  return (await run.update()).metrics;
}
