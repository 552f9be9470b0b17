import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/configuration.ts';
import type { Command, Message, SavedRun, Status } from '../../training/protocol.ts';
import { withChange } from '../link.ts';
import { RunModel } from './runModel.ts';
import type { Session, SessionFactory } from './session.ts';

/** How a run begins. */
export interface Beginning {
  readonly play: boolean;
  /** A kept run to go on with. */
  readonly saved?: SavedRun | undefined;
  /** Its number in storage; a new one without. */
  readonly id?: string | undefined;
}

/** Hears messages as they come, also while the tab is hidden and nothing is drawn. */
export type MessageListener = (message: Message, runId: string) => void;

/** Messages of a run that is over; they may still arrive after the next one was asked for. */
const OF_ONE_RUN: readonly Message['type'][] = ['metrics', 'event', 'group', 'checkpoint', 'truth-progress', 'truth'];

/** Whether a run of this status plays, where the status says so. */
const PLAYS: Readonly<Partial<Record<Status, boolean>>> = {
  playing: true,
  hidden: true,
  paused: false,
  stopped: false,
};

/**
 * Owns the session and folds its messages into the model, at most once a frame, so that a fast run cannot flood the
 * main thread. Tells the session when the tab is hidden.
 */
export class SessionController implements ReactiveController {
  model: RunModel;
  session: Session | undefined;
  private queue: Message[] = [];
  private frame = 0;
  /** A group has waited for a frame, and does not wait for another. */
  private waited = false;
  private runId = newRunId();
  private nextRunId = this.runId;
  private listeners = new Set<MessageListener>();
  private factory: SessionFactory | undefined;
  /** Whether the run plays, or will when what it waits for is done. */
  private playing = true;
  /** The next run is being opened, before which the present one is handed over. */
  private leaving = false;
  private arrived: () => void = () => {};
  private arrival: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: ReactiveControllerHost,
    configuration: RunConfiguration,
  ) {
    this.model = new RunModel(configuration);
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.tellVisibility);
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.tellVisibility);
    this.session?.close();
    cancelAnimationFrame(this.frame);
  }

  get recorded(): boolean {
    return this.session?.kind === 'recorded';
  }

  /** The number of the run in storage; of the next one from when it was asked for. */
  get id(): string {
    return this.nextRunId;
  }

  /** Whether the run plays, or will play when it is there: what another run in its place does as well. */
  get plays(): boolean {
    // A run may stop before it was ever there.
    return this.playing && this.model.status !== 'stopped';
  }

  /** Done when the run before the one that was asked for last has been handed over, or cannot be. */
  get handedOver(): Promise<void> {
    return this.arrival;
  }

  listen(listener: MessageListener): void {
    this.listeners.add(listener);
  }

  /** Replaces the session, if there is one, without starting anything. */
  open(factory: SessionFactory): void {
    this.session?.close();
    this.factory = factory;
    const session = factory((message) => {
      if (this.session === session || this.session === undefined) this.receive(message);
    });
    this.session = session;
  }

  begin(configuration: RunConfiguration, { play, saved, id }: Beginning): void {
    this.replace(configuration, { saved, id });
    this.playing = play;
    this.send({ type: 'start', configuration, play, ...(saved ? { saved } : {}) });
    if (document.hidden) this.send({ type: 'visibility', hidden: true });
  }

  /** Makes the starting policy of this run on the device, then stands at step 0. */
  warmStart(): void {
    const { controls } = this.model;
    const configuration = { ...this.model.configuration, controls };
    // A new worker knows of no run yet.
    if (this.replace(configuration, {})) this.send({ type: 'start', configuration, play: false });
    this.send({ type: 'warm-start' });
  }

  /**
   * Another run begins; what still comes of the one before it is told from it. A worker that stopped may be dead, so
   * it is replaced as well: tells whether it was.
   */
  private replace(configuration: RunConfiguration, { saved, id }: Omit<Beginning, 'play'>): boolean {
    this.flush();
    const stopped = this.model.status === 'stopped' && this.factory !== undefined;
    if (stopped && this.factory) this.open(this.factory);
    const { device, status, step, checkpoint } = this.model;
    this.model = new RunModel(configuration, saved);
    this.model.device = device;
    this.nextRunId = id ?? newRunId();
    this.arrived();
    this.arrival = new Promise((resolve) => {
      this.arrived = resolve;
    });
    this.leaving = false;
    // Of a run that stands there may be nothing left to hand over.
    if (status === 'paused' && step === (checkpoint?.step ?? 0)) this.arrived();
    this.host.requestUpdate();
    return stopped;
  }

  /**
   * After a crash: a new worker goes on from the last checkpoint, or from the beginning where there is none. What was
   * changed since happens again when its step comes. Gives what it goes on from.
   */
  restart(): SavedRun | undefined {
    this.flush();
    const { checkpoint, configuration, changesSinceCheckpoint: later } = this.model;
    const id = this.nextRunId;
    if (!checkpoint) {
      this.begin(later.reduce(withChange, configuration), { play: false, id });
      return undefined;
    }
    const saved = later.length ? { ...checkpoint, events: [...checkpoint.events, ...later] } : checkpoint;
    this.begin(saved.configuration, { play: false, saved, id });
    return saved;
  }

  send(command: Command): void {
    if (command.type === 'play' || command.type === 'pause') this.playing = command.type === 'play';
    this.session?.send(command);
  }

  change(changes: ParameterValues): void {
    if (!this.recorded) this.model.expect(changes);
    this.send({ type: 'change', changes });
    this.host.requestUpdate();
  }

  /** Takes in what has arrived, without waiting for a frame. */
  flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const messages = this.queue;
    this.queue = [];
    for (const message of messages) this.model.apply(message);
    if (messages.length) this.host.requestUpdate();
  }

  /** Takes in a frame's worth: a group that comes with metrics waits until their curves, drawn a frame later, are done. */
  private takeIn(): void {
    const group = this.queue.findLast(({ type }) => type === 'group');
    const wait = group !== undefined && !this.waited && this.queue.some(({ type }) => type === 'metrics');
    if (wait) this.queue = this.queue.filter(({ type }) => type !== 'group');
    this.flush();
    this.waited = wait;
    if (!wait) return;
    this.queue = [group];
    this.frame = requestAnimationFrame(() => {
      this.frame = requestAnimationFrame(() => this.takeIn());
    });
  }

  private receive(message: Message): void {
    if (message.type === 'ready') this.runId = this.nextRunId;
    const stale = this.runId !== this.nextRunId;
    if (message.type === 'status' && !stale) this.playing = PLAYS[message.status] ?? this.playing;
    if (message.type === 'status' && message.status === 'loading') this.leaving = stale;
    const last = this.leaving && stale && message.type === 'checkpoint';
    if (last || message.type === 'ready' || message.type === 'problem') this.arrived();
    if (!(stale && OF_ONE_RUN.includes(message.type))) this.queue.push(message);
    if (message.type === 'checkpoint') this.flush();
    for (const listener of this.listeners) listener(message, this.runId);
    this.frame ||= requestAnimationFrame(() => this.takeIn());
  }

  private tellVisibility = (): void => {
    this.send({ type: 'visibility', hidden: document.hidden });
  };
}

function newRunId(): string {
  // crypto.randomUUID is missing on plain http.
  const random = Math.floor(Math.random() * 0xffffffff).toString(36);
  return `${Date.now().toString(36)}-${random}`;
}
