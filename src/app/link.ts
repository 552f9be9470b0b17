import type { RunConfiguration } from '../training/configuration.ts';
import type { RunEvent, SavedRun } from '../training/protocol.ts';
import { mergeSchedule } from './url.ts';

/**
 * The configuration that makes a run again from its beginning: a change by hand becomes a scheduled change of the
 * same step, and a change before the first update becomes part of the start.
 */
export function withChange(configuration: RunConfiguration, event: RunEvent): RunConfiguration {
  if (event.kind !== 'change') return configuration;
  if (event.step === 0) return { ...configuration, controls: { ...configuration.controls, ...event.changes } };
  const schedule = mergeSchedule([...configuration.schedule, { step: event.step, changes: event.changes }]);
  return { ...configuration, schedule };
}

/** What makes a kept run again from its beginning. */
export function linkOf({ configuration, events }: SavedRun): RunConfiguration {
  return events.reduce(withChange, configuration);
}

/**
 * The controls that a run of this configuration has when update `step` is about to begin.
 */
export function controlsAt(configuration: RunConfiguration, step: number): RunConfiguration['controls'] {
  const past = configuration.schedule.filter((entry) => entry.step <= step);
  return Object.assign({}, configuration.controls, ...past.map((entry) => entry.changes));
}

/**
 * A new beginning with what was changed by hand: what a schedule set by itself goes back, so that it can happen again.
 * @param controls values as they are now
 * @param scheduled schedule that the run was started with
 */
export function restarted(
  configuration: RunConfiguration,
  controls: RunConfiguration['controls'],
  events: readonly RunEvent[],
  scheduled: RunConfiguration['schedule'],
): RunConfiguration {
  const kept: Record<string, number | string> = { ...controls };
  for (const name of new Set(scheduled.flatMap((entry) => Object.keys(entry.changes)))) {
    const setBy = events.findLast((event) => name in event.changes);
    const first = configuration.controls[name];
    if (setBy?.kind === 'schedule' && first !== undefined) kept[name] = first;
  }
  return { ...configuration, controls: kept, schedule: scheduled };
}
