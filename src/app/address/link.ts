import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { RunEvent, SavedRun } from '../../training/data/protocol.ts';
import { mergeSchedule } from './urlParts.ts';

/**
 * Returns a configuration that reproduces a run including an event. A change by the user becomes a scheduled change at
 * the same step. A change at step 0 becomes part of the initial controls. A control with its previous value is not
 * scheduled.
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

/** Removes some controls from the schedule entry at a step. */
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

/** Returns the configuration that reproduces a saved run from step 0. */
export function linkOf({ configuration, events }: SavedRun): RunConfiguration {
  return events.reduce(withChange, configuration);
}

/**
 * Returns the controls of a configuration at the beginning of update `step`, including scheduled changes.
 */
export function controlsAt(configuration: RunConfiguration, step: number): RunConfiguration['controls'] {
  const past = configuration.schedule.filter((entry) => entry.step <= step);
  return Object.assign({}, configuration.controls, ...past.map((entry) => entry.changes));
}

/**
 * Returns the configuration for a restart with the user's changes. Scheduled changes are reverted, because the schedule
 * repeats them.
 * @param controls present values
 * @param scheduled schedule of the run at its start
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
