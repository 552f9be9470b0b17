import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { RunEvent, SavedRun } from '../../training/data/protocol.ts';
import { mergeSchedule } from './urlParts.ts';

/**
 * The configuration that makes a run again from its beginning: a change by hand becomes a scheduled change of the
 * same step, and a change before the first update becomes part of the start. What ends as it was before its step
 * is no change.
 */
export function withChange(configuration: RunConfiguration, event: RunEvent): RunConfiguration {
  const { step, kind, changes } = event;
  if (kind === 'unplanned') return { ...configuration, schedule: until(configuration.schedule, step) };
  if (kind !== 'change') return configuration;
  if (step === 0) {
    const controls = { ...configuration.controls, ...changes };
    return { ...configuration, controls, schedule: without(configuration.schedule, 0, Object.keys(changes)) };
  }
  const before = controlsAt(configuration, step - 1);
  const merged = mergeSchedule([...configuration.schedule, { step, changes }]);
  const unchanged = Object.keys(changes).filter((name) => changes[name] === before[name]);
  return { ...configuration, schedule: without(merged, step, unchanged) };
}

function until(schedule: RunConfiguration['schedule'], last: number): RunConfiguration['schedule'] {
  return schedule.filter(({ step }) => step <= last);
}

/** A schedule in which some controls are not set at a step. */
function without(
  schedule: RunConfiguration['schedule'],
  at: number,
  names: readonly string[],
): RunConfiguration['schedule'] {
  if (names.length === 0) return schedule;
  return schedule.flatMap((entry) => {
    if (entry.step !== at) return [entry];
    const left = Object.entries(entry.changes).filter(([name]) => !names.includes(name));
    return left.length === 0 ? [] : [{ step: at, changes: Object.fromEntries(left) }];
  });
}

/** Returns the configuration that makes a saved run again from its beginning. */
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
 * Returns a new beginning with the changes made by hand. Changes made by a schedule are reverted, so that they can
 * happen again.
 * @param controls values as they are now
 * @param scheduled schedule that the run was started with
 */
export function restarted(
  configuration: RunConfiguration,
  controls: RunConfiguration['controls'],
  events: readonly RunEvent[],
  scheduled: RunConfiguration['schedule'],
): RunConfiguration {
  const initial: Record<string, number | string> = { ...controls };
  for (const name of new Set(scheduled.flatMap((entry) => Object.keys(entry.changes)))) {
    const setBy = events.findLast((event) => name in event.changes);
    const first = configuration.controls[name];
    if (setBy?.kind === 'schedule' && first !== undefined) initial[name] = first;
  }
  return { ...configuration, controls: initial, schedule: scheduled };
}
