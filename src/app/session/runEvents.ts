import type { WatchedLines } from '../../environments/descriptor.ts';
import { type Detection, Detectors } from '../../experiments/detectors.ts';
import { optionLabel, type ParameterValue, type ParameterValues } from '../../parameters/parameters.ts';
import { hasEqualOutcomes } from '../../rollouts/flatGroups.ts';
import type { EnvironmentName, RunConfiguration } from '../../training/data/configuration.ts';
import type { GroupView, Metrics, RunEvent } from '../../training/data/protocol.ts';
import { ruleTitle, tablesFor } from '../address/pageTables.ts';
import { strings } from '../strings/strings.ts';

/** Net change of one control between two consecutive updates. `from` is undefined if the control had no value. */
export interface NetChange {
  readonly name: string;
  readonly from: ParameterValue | undefined;
  readonly to: ParameterValue;
}

/** Event at the beginning of a step: controls that took effect, or a message. */
export interface Happening {
  readonly step: number;
  readonly kind: RunEvent['kind'];
  /** Net changes; empty for an event that is only a message. */
  readonly changes: readonly NetChange[];
  /** Text for the user, without the step: "Credit rule: MT-GRPO → GRPO-OR". */
  readonly text: string;
}

/** Environment and controls of a run at step 0. */
export type InitialConfiguration = Pick<RunConfiguration, 'environment' | 'controls'>;

/**
 * Returns the changes that took effect, from a run's log of all changes. Several changes of a control at one step
 * become one net change. A control that has its previous value again has no entry.
 * @param events events in the order in which they happened; the text of an event is used only if it changes no control
 */
export function listEffectiveChanges(initial: InitialConfiguration, events: readonly RunEvent[]): Happening[] {
  const result = new Map<number, Happening>();
  events.forEach((event, index) => {
    const { step, kind, text } = event;
    if (kind === 'change' || kind === 'schedule') return;
    result.set(index, { step, kind, changes: [], text: kind === 'unplanned' ? strings.log.unplanned : text });
  });
  // A recovery returns to an earlier step, so that later steps may precede earlier ones.
  const changed = [...events.entries()]
    .filter(([, { kind }]) => kind === 'change' || kind === 'schedule')
    .sort(([, a], [, b]) => a.step - b.step);
  let before: ParameterValues = initial.controls;
  for (let from = 0; from < changed.length; ) {
    const step = changed[from]?.[1].step ?? 0;
    let to = from + 1;
    while (changed[to]?.[1].step === step) to += 1;
    const entries = changed.slice(from, to);
    from = to;
    const after: ParameterValues = Object.assign({}, before, ...entries.map(([, { changes }]) => changes));
    for (const kind of ['schedule', 'change'] as const) {
      const netChanges = differing(before, after).filter(({ name }) => kindOf(name, entries) === kind);
      const last = entries.findLast(([, { changes }]) => netChanges.some(({ name }) => name in changes));
      const text = describeChanges(initial.environment, netChanges);
      const description = kind === 'schedule' ? strings.log.asPlanned(text) : text;
      if (last)
        result.set(last[0] + (kind === 'schedule' ? 0 : 0.5), { step, kind, changes: netChanges, text: description });
    }
    before = after;
  }
  return [...result].sort(([a], [b]) => a - b).map(([, happening]) => happening);
}

/**
 * Returns the scheduled changes after a step. Changes that set the present value are left out.
 * @param link configuration that reproduces the run; its schedule contains the future changes
 * @param controls values at that step
 */
export function planned(link: RunConfiguration, controls: ParameterValues, step: number): Happening[] {
  let before = controls;
  return link.schedule.flatMap((entry) => {
    if (entry.step <= step) return [];
    const after = { ...before, ...entry.changes };
    const changes = differing(before, after);
    before = after;
    if (changes.length === 0) return [];
    return [{ step: entry.step, kind: 'schedule', changes, text: describeChanges(link.environment, changes) }];
  });
}

/** Returns the label of a control or setting. It includes the rule's name if several rules have this label. */
export function controlLabel(environment: EnvironmentName, name: string): string {
  const { controls, settings, ruleParameters } = tablesFor(environment);
  const all = [...settings, ...controls];
  const label = all.find((control) => control.name === name)?.label;
  if (label === undefined) return name;
  if (all.filter((control) => control.label === label).length === 1) return label;
  const owner = Object.keys(ruleParameters).find((rule) =>
    ruleParameters[rule]?.some((parameter) => parameter.name === name),
  );
  return owner === undefined ? label : strings.log.ofRule(ruleTitle(owner), label);
}

/** Formats a value for the user: a rule as its title, an option as its label, a number with a minus sign (U+2212). */
export function valueText(environment: EnvironmentName, name: string, value: ParameterValue | undefined): string {
  if (value === undefined || value === '') return strings.log.none;
  if (name === 'rule') return ruleTitle(String(value));
  if (typeof value === 'number') return String(value).replace('-', '−');
  const { controls, settings } = tablesFor(environment);
  const parameter = [...settings, ...controls].find((entry) => entry.name === name);
  return parameter?.kind === 'choice' ? optionLabel(parameter, value) : value;
}

function describeChanges(environment: EnvironmentName, changes: readonly NetChange[]): string {
  const parts = changes.map(({ name, from, to }) =>
    strings.log.change(
      controlLabel(environment, name),
      valueText(environment, name, from),
      valueText(environment, name, to),
    ),
  );
  return parts.join(', ');
}

/** Returns the changed values. The rule comes first because the other controls depend on it. */
function differing(before: ParameterValues, after: ParameterValues): NetChange[] {
  const names = Object.keys(after).filter((name) => after[name] !== before[name]);
  const ordered = [...names.filter((name) => name === 'rule'), ...names.filter((name) => name !== 'rule')];
  return ordered.map((name) => ({ name, from: before[name], to: after[name] as ParameterValue }));
}

/** Returns the origin of the last change of a control at a step: the user or the schedule. */
function kindOf(name: string, entries: readonly (readonly [number, RunEvent])[]): RunEvent['kind'] | undefined {
  return entries.findLast(([, { changes }]) => name in changes)?.[1].kind;
}

/**
 * Events detected in the curves of a run. Each update is processed once. All updates are processed again if the run
 * returns to an earlier step.
 */
export class Detections {
  private rows: readonly Metrics[] | undefined;
  private processedCount = 0;
  private detectors = new Detectors();
  private detections: readonly Detection[] = [];

  constructor(private readonly watched: WatchedLines | undefined) {}

  /** Returns the events in the rows. @param rows list that grows only at its end; other changes require a new list */
  in(rows: readonly Metrics[]): readonly Detection[] {
    if (rows !== this.rows || rows.length < this.processedCount) {
      this.rows = rows;
      this.processedCount = 0;
      this.detectors = new Detectors(this.watched);
      this.detections = [];
    }
    for (; this.processedCount < rows.length; this.processedCount++) {
      const more = this.detectors.see(rows[this.processedCount] as Metrics);
      if (more.length > 0) this.detections = [...this.detections, ...more];
    }
    return this.detections;
  }
}

/** Maximum number of sampled groups that can be opened again. */
const LIMIT = 20;

/** Entry of the event log for a requested sample. */
export interface Sampled {
  /** Number of updates before the sample. */
  readonly step: number;
  /** Sampled group; undefined if a search found none. */
  readonly group: GroupView | undefined;
  readonly isTied: boolean;
  /** Number of samples of a search that found no group. */
  readonly samples?: number;
}

/** Adds a sampled group, unless the list has this sample already. The oldest samples are dropped. */
export function withSample(known: readonly Sampled[], group: GroupView): readonly Sampled[] {
  const isKnown = known.some((sampled) => sampled.group?.sample === group.sample && sampled.group?.step === group.step);
  if (!group.sampleOnly || isKnown) return known;
  return [...known, { step: group.step, group, isTied: hasEqualOutcomes(group.forest) }].slice(-LIMIT);
}

/** Adds a search that found no tied group. */
export function withoutTie(known: readonly Sampled[], step: number, samples: number): readonly Sampled[] {
  return [...known, { step, group: undefined, isTied: false, samples }].slice(-LIMIT);
}
