import type { ReactiveControllerHost } from 'lit';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { GroupView, Message, Metrics } from '../../training/data/protocol.ts';
import { STANDARD_PACE } from '../session/paceChoice.ts';
import type { RunModel } from '../session/runModel.ts';
import { SessionController } from '../session/sessionController.ts';
import { openWorker, type SessionFactory } from '../session/workerSession.ts';

/** Run of a lesson with its complete configuration. */
export interface PreparedRun {
  readonly configuration: RunConfiguration;
  /** Number of updates. */
  readonly steps: number;
}

/** Maximum number of stored groups per run. The longest run of a lesson has 80 updates. */
const GROUP_LIMIT = 100;

type Phase = 'idle' | 'opening' | 'training' | 'done' | 'stopped';

/** Trains the runs of a lesson in parallel in a separate worker. The run of the Playground is not affected. */
export class LessonTraining {
  phase: Phase = 'idle';
  /** Error message if the training failed; otherwise empty. */
  problem = '';
  private sessions: SessionController[] = [];
  /** Newest groups of each run, at most one per update, oldest first. */
  private readonly groups = new Map<SessionController, readonly GroupView[]>();
  private prepared: readonly PreparedRun[] = [];
  /** Updates per second. */
  private pace = 5;
  /** Number of the current training. A message of an earlier training is ignored. */
  private trial = 0;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly open: SessionFactory = openWorker,
  ) {}

  /** Models of the runs, in the order of the lesson. */
  get models(): readonly RunModel[] {
    return this.sessions.map(({ model }) => model);
  }

  /** [runs] metrics of each run, up to its number of updates. */
  get metrics(): readonly (readonly Metrics[])[] {
    return this.models.map(({ metrics }, index) =>
      metrics.filter(({ step }) => step < (this.prepared[index]?.steps ?? 0)),
    );
  }

  /** Smallest number of finished updates of a run. Infinity if there are no runs. */
  get step(): number {
    return Math.min(...this.metrics.map(({ length }) => length), Infinity);
  }

  /** Returns the newest groups of a run, at most one per update, oldest first. */
  groupsOf(index: number): readonly GroupView[] {
    const session = this.sessions[index];
    const { steps = 0 } = this.prepared[index] ?? {};
    return ((session && this.groups.get(session)) ?? []).filter(({ step }) => step < steps);
  }

  /** Number that increases with each message of a run. */
  get revision(): number {
    return this.models.reduce((sum, { revision }) => sum + revision, 0);
  }

  start(runs: readonly PreparedRun[], pace: number): void {
    this.end();
    this.prepared = runs;
    this.pace = pace;
    this.problem = '';
    this.phase = 'opening';
    this.train();
    this.host.requestUpdate();
  }

  /** Pauses all runs and retains their results. */
  stop(): void {
    this.trial += 1;
    for (const session of this.sessions) session.send({ type: 'pause' });
    this.phase = 'stopped';
    this.host.requestUpdate();
  }

  /** Ends all runs and releases the worker. */
  end(): void {
    this.trial += 1;
    for (const session of [...this.sessions].reverse()) session.end();
    this.sessions = [];
    this.groups.clear();
    this.phase = 'idle';
  }

  private train(): void {
    for (const [index, { configuration }] of this.prepared.entries()) {
      const session = this.session(configuration, index);
      const first = this.sessions[0]?.session;
      session.open((listener) => first?.lane?.(listener) ?? this.open(listener));
      this.sessions.push(session);
      this.begin(session, configuration);
    }
  }

  private session(configuration: RunConfiguration, index: number): SessionController {
    const { trial } = this;
    const session = new SessionController(this.host, configuration);
    session.listen((message) => {
      if (trial === this.trial) this.onMessage(message, session, index);
    });
    return session;
  }

  private begin(session: SessionController, configuration: RunConfiguration): void {
    session.begin(configuration, { play: true });
    const chosen = session.pace === STANDARD_PACE ? this.pace : session.pace;
    const updatesPerSecond = chosen === null ? null : Math.max(this.pace, chosen);
    // Formulas and exercises select from the groups of all updates.
    session.send({ type: 'pace', updatesPerSecond, everyGroup: true });
  }

  private onMessage(message: Message, session: SessionController, index: number): void {
    if (message.type === 'problem' && message.problem.recovery !== 'automatic') this.fail(message.problem.message);
    if (message.type === 'group') this.saveGroup(session, message.group);
    if (message.type !== 'metrics') return;
    if (this.phase === 'opening') this.phase = 'training';
    const { steps } = this.prepared[index] ?? { steps: 0 };
    if (message.metrics.step + 1 < steps) return;
    session.send({ type: 'pause' });
    this.finish();
  }

  private saveGroup(session: SessionController, group: GroupView): void {
    const earlier = (this.groups.get(session) ?? []).filter(({ step }) => step !== group.step);
    this.groups.set(session, [...earlier, group].slice(-GROUP_LIMIT));
  }

  /** Ends the training if all runs have finished their updates. Pending messages are applied first. */
  private finish(): void {
    for (const session of this.sessions) session.flush();
    const done = this.metrics.every((metrics, index) => metrics.length >= (this.prepared[index]?.steps ?? 0));
    if (done) this.phase = 'done';
    this.host.requestUpdate();
  }

  private fail(reason: string): void {
    this.problem = reason;
    this.phase = 'stopped';
    this.host.requestUpdate();
  }
}
