import { saveResult } from '../../credit/rules/custom/customRule.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { Detection } from '../../experiments/detectors.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { Curve } from '../../storage/curve.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type {
  DeviceDescription,
  GroupPush,
  GroupView,
  Message,
  Metrics,
  Problem,
  RunEvent,
  SavedRun,
  Status,
  WarmStartProgress,
} from '../../training/data/protocol.ts';
import type { TruthMessage, TruthReport } from '../../training/data/truthReport.ts';
import { controlsAt, linkOf, withChange } from '../address/url.ts';
import {
  Detections,
  type Happening,
  listEffectiveChanges,
  planned,
  type Sampled,
  withoutTie,
  withSample,
} from './runEvents.ts';

export type NoTie = Extract<Message, { type: 'no-tie' }>;

/**
 * State of a run in the page, folded from the messages of the worker. It changes in place, because a run has thousands
 * of steps. `revision` increases with each change, and views compare it instead of the contents.
 */
export class RunModel {
  revision = 0;
  status: Status = 'loading';
  device: DeviceDescription | undefined;
  /** Number of completed updates. */
  step = 0;
  /** Metrics of the updates. The earlier updates of a long run are downsampled. */
  readonly curve: Curve;
  events: RunEvent[] = [];
  group: GroupView | undefined;
  /** Effect of the last watched update on its group. */
  push: GroupPush | undefined;
  /** Result of a search that found no tied group with different turn rewards. */
  untied: NoTie | undefined;
  /** Sampled groups, oldest first. */
  samples: readonly Sampled[] = [];
  warmStart: WarmStartProgress | undefined;
  /** The last requested measurement of true advantages. */
  truth: TruthState | undefined;
  problems: Problem[] = [];
  /** Present values of the controls. */
  controls: ParameterValues;
  /** Changes by the user that the worker has not confirmed. */
  unconfirmed: ParameterValues = {};
  /** Configuration that reproduces this run from step 0, including the user's changes. */
  link: RunConfiguration;
  /** Last state from which the run can continue. Undefined before the first checkpoint. */
  checkpoint: SavedRun | undefined;
  private readonly detections: Detections;
  private reported: { readonly events: readonly RunEvent[]; readonly appliedEvents: readonly Happening[] } | undefined;
  private ahead:
    | {
        readonly link: RunConfiguration;
        readonly controls: ParameterValues;
        readonly past: number;
        readonly planned: readonly Happening[];
      }
    | undefined;

  /**
   * @param configuration initial configuration of the run
   * @param saved saved run to continue
   * @param curve updates of the saved run
   */
  constructor(
    public configuration: RunConfiguration,
    saved?: SavedRun,
    curve = saved ? Curve.of(saved) : new Curve(),
  ) {
    this.curve = curve;
    this.detections = new Detections(ENVIRONMENTS[configuration.environment].watched);
    this.link = saved ? linkOf(saved) : configuration;
    this.controls = controlsAt(this.link, saved ? saved.step : 0);
    if (!saved) return;
    this.checkpoint = saved;
    this.step = saved.step;
    this.events = [...saved.events];
    this.controls = changedBy(this.controls, saved.events);
  }

  /** Metrics in order of their steps, without repeats. It is a new list after any change other than an appended row. */
  get metrics(): readonly Metrics[] {
    return this.curve.rows;
  }

  apply(message: Message): void {
    this.revision += 1;
    this.truth = foldTruth(this.truth, message, performance.now());
    switch (message.type) {
      case 'ready':
        this.setDevice(message.device);
        this.rewind(message.step);
        this.warmStart = undefined;
        break;
      case 'device':
        this.setDevice(message.device);
        break;
      case 'status':
        this.status = message.status;
        if (message.status !== 'warming') this.warmStart = undefined;
        break;
      case 'warm-start':
        this.warmStart = message;
        break;
      case 'metrics':
        this.addMetrics(message.metrics);
        break;
      case 'event':
        this.addEvent(message.event);
        break;
      case 'group':
        if (message.group.customResult)
          saveResult(message.group.rule, message.group.forest, message.group.customResult);
        this.group = message.group;
        this.samples = withSample(this.samples, message.group);
        this.untied = undefined;
        break;
      case 'push':
        this.push = message.push;
        break;
      case 'no-tie':
        this.untied = message;
        if (!message.isFlat) this.samples = withoutTie(this.samples, this.step, message.samples);
        break;
      case 'checkpoint':
        this.checkpoint = message.saved;
        break;
      case 'problem':
        if (message.problem.kind === 'configuration') this.revert();
        this.problems = [...this.problems.filter((known) => known.kind !== message.problem.kind), message.problem];
        break;
    }
  }

  /** Records the engine that the worker uses in the configuration and the link. */
  private setDevice(device: DeviceDescription): void {
    const { engine } = device;
    this.device = device;
    this.configuration = { ...this.configuration, engine };
    this.link = { ...this.link, engine };
  }

  /** Shows the user's change immediately. It becomes part of the run when the worker confirms it by an event. */
  expect(changes: ParameterValues): void {
    this.controls = { ...this.controls, ...changes };
    this.unconfirmed = { ...this.unconfirmed, ...changes };
    this.revision += 1;
  }

  /** Reverts all unconfirmed changes after the worker has refused a change. */
  private revert(): void {
    for (const name of Object.keys(this.unconfirmed)) {
      const before = changedBy(controlsAt(this.link, this.step), this.events)[name];
      if (before !== undefined) this.controls = { ...this.controls, [name]: before };
    }
    this.unconfirmed = {};
  }

  /** Records that the user requested a measurement. */
  expectTruth(): void {
    this.truth = {};
    this.revision += 1;
  }

  dismiss(problem: Problem): void {
    this.problems = this.problems.filter((known) => known !== problem);
    this.revision += 1;
  }

  /** Events that have affected updates so far, with texts. */
  get appliedEvents(): readonly Happening[] {
    if (this.reported?.events !== this.events) {
      this.reported = { events: this.events, appliedEvents: listEffectiveChanges(this.configuration, this.events) };
    }
    return this.reported.appliedEvents;
  }

  /** Events detected in the curves, with texts. The list is the same object until there are more events. */
  get detected(): readonly Detection[] {
    return this.detections.in(this.metrics);
  }

  /** Scheduled changes after the present step, with texts. The list is the same object until its inputs change. */
  get planned(): readonly Happening[] {
    const { link, controls, step } = this;
    const past = link.schedule.filter((entry) => entry.step <= step).length;
    const { ahead } = this;
    if (ahead?.link !== link || ahead.controls !== controls || ahead.past !== past) {
      this.ahead = { link, controls, past, planned: planned(link, controls, step) };
    }
    return this.ahead?.planned ?? [];
  }

  /** Changes after the last checkpoint, including changes that a stopped worker did not confirm. */
  get changesSinceCheckpoint(): readonly RunEvent[] {
    const { checkpoint, configuration, events, step, unconfirmed } = this;
    const recent = events.slice(checkpoint?.events.length ?? 0);
    const changes = recent.filter(({ kind }) => kind !== 'recovered' && kind !== 'stopped');
    const before = changedBy(configuration.controls, events);
    const open = Object.entries(unconfirmed).filter(([name, value]) => before[name] !== value);
    if (open.length === 0) return changes;
    const text = open.map(([name, value]) => `${name}: ${before[name]} → ${value}`).join(', ');
    return [...changes, { step, kind: 'change', changes: Object.fromEntries(open), text }];
  }

  /** Speed over the last 10 updates [updates/s]; undefined before the first update. */
  get stepsPerSecond(): number | undefined {
    const recent = this.metrics.slice(-10);
    const milliseconds = recent.reduce((sum, metrics) => sum + metrics.stepMs, 0);
    return milliseconds > 0 ? (1000 * recent.length) / milliseconds : undefined;
  }

  /** Returns the run to a step: updates and events after it are deleted. */
  private rewind(step: number): void {
    this.step = step;
    if (this.group && this.group.step >= step) this.group = undefined;
    this.push = undefined;
    this.untied = undefined;
    this.samples = [];
    this.curve.cut(step);
    if (!this.events.some((event) => event.step > step)) return;
    this.events = this.events.filter((event) => event.step <= step);
    this.controls = changedBy(this.configuration.controls, this.events);
    this.link = this.events.reduce(withChange, this.configuration);
  }

  private addMetrics(metrics: Metrics): void {
    this.curve.push(metrics);
    this.step = metrics.step + 1;
  }

  private addEvent(event: RunEvent): void {
    const { kind, changes } = event;
    this.events = [...this.events, event];
    // Events of earlier changes of a control arrive first. Only the event of its last change confirms the value.
    const open = Object.entries(this.unconfirmed).filter(([name, value]) =>
      kind === 'change' ? changes[name] !== value : !(name in changes),
    );
    this.unconfirmed = Object.fromEntries(open);
    this.controls = { ...this.controls, ...changes, ...this.unconfirmed };
    this.link = withChange(this.link, event);
  }
}

/** Applies changes in sequence. Spreading them into one call could exceed the maximum number of arguments. */
function changedBy(values: ParameterValues, events: readonly RunEvent[]): ParameterValues {
  const changed = { ...values };
  for (const { changes } of events) Object.assign(changed, changes);
  return changed;
}

type Progress = Omit<Extract<TruthMessage, { type: 'truth-progress' }>, 'type' | 'report'>;

/** State of the last requested measurement. */
export interface TruthState {
  /** Results so far. After the end, all results of the measurement. */
  readonly report?: TruthReport;
  /** Reason for the end of the measurement; absent while it continues. */
  readonly ended?: 'complete' | 'cancelled' | 'failed';
  readonly problem?: string;
  readonly progress?: Progress;
  /** Times on the clock of the page [ms]: pause of the run for the measurement, and arrival of the last progress. */
  readonly startedAt?: number;
  readonly at?: number;
}

/** Returns the state after a message. Only messages of a measurement, and a worker that stops, change the state. */
export function foldTruth(state: TruthState | undefined, message: Message, now: number): TruthState | undefined {
  if (message.type === 'truth') {
    const { type: _, ...end } = message;
    const report = end.report ?? (end.ended === 'failed' ? state?.report : undefined);
    return { ...end, ...(report ? { report } : {}) };
  }
  if (!state || state.ended) return state;
  if (message.type === 'status' && message.status === 'measuring') return { ...state, startedAt: now };
  if (message.type === 'status' && message.status === 'stopped') return { ...state, ended: 'failed' };
  if (message.type !== 'truth-progress') return state;
  const { type: _, report = state.report, ...progress } = message;
  return { ...state, progress, at: now, ...(report ? { report } : {}) };
}

/** Estimates the remaining time [s] from the average speed so far. Returns undefined before the first progress. */
export function secondsLeft({ progress, startedAt, at }: TruthState): number | undefined {
  if (!progress || startedAt === undefined || at === undefined || progress.done === 0) return undefined;
  return (((at - startedAt) / progress.done) * (progress.total - progress.done)) / 1000;
}
