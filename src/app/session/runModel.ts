import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/configuration.ts';
import type {
  DeviceDescription,
  GroupView,
  Message,
  Metrics,
  Problem,
  RunEvent,
  SavedRun,
  Status,
} from '../../training/protocol.ts';
import { controlsAt, linkOf, withChange } from '../link.ts';
import { foldTruth, type TruthState } from '../truth/truthState.ts';

export interface WarmStartProgress {
  readonly stage: string;
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
}

/**
 * What the page knows of the run: a fold over the messages. It is changed in place, because a run has thousands of
 * steps; `revision` grows with every change, and views compare it instead of the contents.
 */
export class RunModel {
  revision = 0;
  status: Status = 'loading';
  device: DeviceDescription | undefined;
  /** Updates done. */
  step = 0;
  /** In the order of their steps, without gaps or repeats. */
  metrics: Metrics[] = [];
  events: RunEvent[] = [];
  group: GroupView | undefined;
  warmStart: WarmStartProgress | undefined;
  /** The measurement of true advantages that was asked for last. */
  truth: TruthState | undefined;
  problems: Problem[] = [];
  /** Values as they are now. */
  controls: ParameterValues;
  /** Changes by hand that the worker has not answered yet. */
  unconfirmed: ParameterValues = {};
  /** What makes this run again from its beginning, changes by hand included. */
  link: RunConfiguration;
  /** The last state that a run can go on from. */
  checkpoint: SavedRun | undefined;

  /**
   * @param configuration what the run is started with
   * @param saved a kept run to go on with
   */
  constructor(
    readonly configuration: RunConfiguration,
    saved?: SavedRun,
  ) {
    this.link = saved ? linkOf(saved) : configuration;
    this.controls = controlsAt(configuration, saved ? saved.step : 0);
    if (!saved) return;
    this.checkpoint = saved;
    this.step = saved.step;
    this.metrics = [...saved.metrics];
    this.events = [...saved.events];
    this.controls = Object.assign({}, this.controls, ...saved.events.map((event) => event.changes));
  }

  apply(message: Message): void {
    this.revision += 1;
    this.truth = foldTruth(this.truth, message, performance.now());
    switch (message.type) {
      case 'ready':
        this.device = message.device;
        this.rewind(message.step);
        this.warmStart = undefined;
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
        this.group = message.group;
        break;
      case 'checkpoint':
        this.checkpoint = message.saved;
        break;
      case 'problem':
        this.problems = [...this.problems.filter((known) => known.kind !== message.problem.kind), message.problem];
        break;
    }
  }

  /** A change by hand shows at once; the worker's event makes it part of the run. */
  expect(changes: ParameterValues): void {
    this.controls = { ...this.controls, ...changes };
    this.unconfirmed = { ...this.unconfirmed, ...changes };
    this.revision += 1;
  }

  /** A measurement was asked for. */
  expectTruth(): void {
    this.truth = {};
    this.revision += 1;
  }

  dismiss(problem: Problem): void {
    this.problems = this.problems.filter((known) => known !== problem);
    this.revision += 1;
  }

  /** Changes behind the last checkpoint, those that a stopped worker never answered as well. */
  get changesSinceCheckpoint(): readonly RunEvent[] {
    const { checkpoint, configuration, events, step, unconfirmed } = this;
    const later = events.slice(checkpoint?.events.length ?? 0);
    const changes = later.filter(({ kind }) => kind === 'change' || kind === 'schedule');
    const before: ParameterValues = Object.assign({}, configuration.controls, ...events.map((event) => event.changes));
    const open = Object.entries(unconfirmed).filter(([name, value]) => before[name] !== value);
    if (open.length === 0) return changes;
    const text = open.map(([name, value]) => `${name}: ${before[name]} → ${value}`).join(', ');
    return [...changes, { step, kind: 'change', changes: Object.fromEntries(open), text }];
  }

  /** Updates a second over the last few steps; undefined before the first. */
  get stepsPerSecond(): number | undefined {
    const recent = this.metrics.slice(-10);
    const milliseconds = recent.reduce((sum, metrics) => sum + metrics.stepMs, 0);
    return milliseconds > 0 ? (1000 * recent.length) / milliseconds : undefined;
  }

  /** The run stands at a step: what a recording told of later ones is taken back. */
  private rewind(step: number): void {
    this.step = step;
    if (this.group && this.group.step >= step) this.group = undefined;
    if (this.metrics.some((row) => row.step >= step)) this.metrics = this.metrics.filter((row) => row.step < step);
    if (!this.events.some((event) => event.step > step)) return;
    this.events = this.events.filter((event) => event.step <= step);
    this.controls = Object.assign({}, this.configuration.controls, ...this.events.map((event) => event.changes));
    this.link = this.events.reduce(withChange, this.configuration);
  }

  /** Steps are done again after a recovery from an older checkpoint: the newer curve replaces the older. */
  private addMetrics(metrics: Metrics): void {
    const last = this.metrics.at(-1);
    if (last && metrics.step <= last.step) {
      this.metrics = this.metrics.filter((known) => known.step < metrics.step);
    }
    this.metrics.push(metrics);
    this.step = metrics.step + 1;
  }

  private addEvent(event: RunEvent): void {
    this.events = [...this.events, event];
    this.controls = { ...this.controls, ...event.changes };
    const open = Object.entries(this.unconfirmed).filter(([name]) => !(name in event.changes));
    this.unconfirmed = Object.fromEntries(open);
    this.link = withChange(this.link, event);
  }
}
