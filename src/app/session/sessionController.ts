import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { type CustomRuleSource, decodeCustomRule } from '../../credit/rules/custom/customSource.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { Curve } from '../../storage/curve.ts';
import type { EngineName, RunConfiguration } from '../../training/data/configuration.ts';
import type { Command, Message, SavedRun } from '../../training/data/protocol.ts';
import { withChange } from '../address/link.ts';
import { findForeign } from '../customRule/foreignRules.ts';
import { initialHandover, receiveMessage, renameRun, replaceWorker, requestRun, sendCommand } from './handover.ts';
import { choosePace, chosenPace, type PaceChoice } from './paceChoice.ts';
import type { Session, SessionFactory } from './pageSession.ts';
import { RunModel } from './runModel.ts';

/** Options for beginning a run. */
export interface SessionStartOptions {
  readonly play: boolean;
  /** A saved run to continue. */
  readonly saved?: SavedRun | undefined;
  /** Its curve, where `saved` does not hold all of it. */
  readonly curve?: Curve | undefined;
  /** Its number in storage; a new one without. */
  readonly id?: string | undefined;
}

/** Maximum number of updates that a worker receives of a run to continue; the worker needs the last one. */
const NEWEST = 32;

/** Receives messages when they come, also while the tab is hidden and nothing is drawn. */
export type MessageListener = (message: Message, runId: string) => void;

/**
 * Owns the session and folds its messages into the model, at most once a frame, so that a fast run cannot flood the
 * main thread. Notifies the session when the tab is hidden.
 */
export class SessionController implements ReactiveController {
  model: RunModel;
  session: Session | undefined;
  /** Most updates a second while a run plays; null for as many as there can be. */
  pace = chosenPace();
  /** Called with an own rule of the run that the user has not allowed to run, in place of training with it. */
  onForeignRule: (rule: CustomRuleSource) => void = () => {};
  /** Grows with every run that begins, also where it is an earlier state of the same run. */
  generation = 0;
  private queue: Message[] = [];
  private frame = 0;
  /** A group has waited for a frame, and does not wait for another. */
  private hasDeferredGroup = false;
  private handover = initialHandover(newRunId());
  private connected = false;
  /** The session was ended because the page's element went away. */
  private ended = false;
  private listeners = new Set<MessageListener>();
  private factory: SessionFactory | undefined;
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
    this.connected = true;
    document.addEventListener('visibilitychange', this.sendVisibility);
  }

  /** An element that is moved within the page is disconnected and connected in one task: its session stays. */
  hostDisconnected(): void {
    this.connected = false;
    document.removeEventListener('visibilitychange', this.sendVisibility);
    queueMicrotask(() => {
      if (!this.connected) this.close();
    });
  }

  /** Opens the session again that ended with the page's element. Returns true if there was such a session. */
  reopen(): boolean {
    if (!this.ended || !this.factory) return false;
    this.flush();
    this.open(this.factory);
    return true;
  }

  /** Id of the run in storage. After a request for another run, the id of that run. */
  get id(): string {
    return this.handover.nextId;
  }

  /** True if the worker has not opened the run yet. */
  get isPending(): boolean {
    return this.handover.phase !== 'running';
  }

  /** True if the run plays, or will play when the worker has opened it. A run that replaces it then plays as well. */
  get isTraining(): boolean {
    // A run may stop before it was ever there.
    return this.handover.trains && this.model.status !== 'stopped';
  }

  /** Resolves when the worker has sent the state of the run before the last requested run, or cannot send it. */
  get transferred(): Promise<void> {
    return this.arrival;
  }

  /** @returns what ends it */
  listen(listener: MessageListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Ends the session permanently. Listeners still receive the last state that the session sends. */
  end(): void {
    this.close();
    this.ended = false;
    this.host.removeController(this);
    document.removeEventListener('visibilitychange', this.sendVisibility);
  }

  /** Replaces the session, if there is one, without starting anything. */
  open(factory: SessionFactory): void {
    this.session?.close();
    this.factory = factory;
    this.ended = false;
    this.handover = replaceWorker(this.handover);
    const session = factory((message) => {
      if (this.session === session || this.session === undefined) this.receive(message);
    });
    this.session = session;
    session.send({ type: 'pace', updatesPerSecond: this.pace });
  }

  begin(configuration: RunConfiguration, { play, saved, curve, id }: SessionStartOptions): void {
    const given = saved && { ...saved, metrics: saved.metrics.slice(-NEWEST) };
    this.replace(configuration, { saved: given, curve: curve ?? (saved && Curve.of(saved)), id });
    const isTraining = play && !this.requiresConsent();
    this.handover = { ...this.handover, trains: isTraining };
    this.send({ type: 'start', configuration, play: isTraining, ...(given ? { saved: given } : {}) });
    if (document.hidden) this.send({ type: 'visibility', hidden: true });
  }

  /** Makes the starting policy of this run on the device, then pauses at step 0. */
  warmStart(): void {
    const { controls } = this.model;
    const configuration = { ...this.model.configuration, controls };
    // A new worker knows of no run yet.
    if (this.replace(configuration, {})) this.send({ type: 'start', configuration, play: false });
    this.send({ type: 'warm-start' });
  }

  /**
   * Begins another run, and distinguishes it from the last messages of the run before. A worker that stopped may be
   * dead, so the worker is replaced as well. Returns true if the worker was replaced.
   */
  private replace(configuration: RunConfiguration, { saved, curve, id }: Omit<SessionStartOptions, 'play'>): boolean {
    this.flush();
    const stopped = this.model.status === 'stopped' && this.factory !== undefined;
    if (stopped && this.factory) this.open(this.factory);
    const { device, status, step, checkpoint } = this.model;
    this.model = new RunModel(configuration, saved, curve);
    this.model.device = device;
    this.handover = requestRun(this.handover, id ?? newRunId());
    this.generation += 1;
    this.arrived();
    this.arrival = new Promise((resolve) => {
      this.arrived = resolve;
    });
    // A paused run may have no state left to send.
    if (status === 'paused' && step === (checkpoint?.step ?? 0)) this.arrived();
    this.host.requestUpdate();
    return stopped;
  }

  /**
   * Restarts after a crash: a new worker continues from the last checkpoint, or from the beginning if there is no
   * checkpoint. Changes since then happen again when their steps come. Returns the state from which the run continues.
   * @param engine another engine for the updates from there on
   */
  restart(play = false, engine?: EngineName): SavedRun | undefined {
    this.flush();
    const { checkpoint, configuration, curve, changesSinceCheckpoint: recentChanges } = this.model;
    const { id } = this;
    const on = (run: RunConfiguration) => (engine === undefined ? run : { ...run, engine });
    if (!checkpoint) {
      this.begin(on(recentChanges.reduce(withChange, configuration)), { play, id });
      return undefined;
    }
    const saved = recentChanges.length
      ? { ...checkpoint, events: [...checkpoint.events, ...recentChanges] }
      : checkpoint;
    curve.cut(saved.step);
    this.begin(on(saved.configuration), { play, saved, curve, id });
    return saved;
  }

  /**
   * Changes the id of a run in storage from now on. This includes a run that is being left and still sends its last
   * state.
   */
  rename(id: string, newId: string): void {
    this.handover = renameRun(this.handover, id, newId);
    this.host.requestUpdate();
  }

  /** Reports an own rule of this run, present or scheduled, that the user has not allowed to run. @returns true if there is one */
  requiresConsent(): boolean {
    const { controls, configuration } = this.model;
    const rules = [controls.rule, ...configuration.schedule.map(({ changes }) => changes.rule)];
    const foreign = findForeign(rules);
    if (foreign !== undefined) this.onForeignRule(decodeCustomRule(foreign));
    return foreign !== undefined;
  }

  send(command: Command): void {
    if ((command.type === 'play' || command.type === 'step') && this.requiresConsent()) return;
    this.handover = sendCommand(this.handover, command);
    this.session?.send(command);
  }

  /** From now on runs go at this pace, and those of later visits. */
  choosePace(pace: PaceChoice): void {
    this.pace = pace;
    choosePace(pace);
    this.session?.send({ type: 'pace', updatesPerSecond: pace });
    this.host.requestUpdate();
  }

  change(changes: ParameterValues): void {
    this.model.expect(changes);
    this.session?.send({ type: 'change', changes });
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
  private renderNow(): void {
    const group = this.queue.findLast(({ type }) => type === 'group');
    const wait = group !== undefined && !this.hasDeferredGroup && this.queue.some(({ type }) => type === 'metrics');
    if (wait) this.queue = this.queue.filter(({ type }) => type !== 'group');
    this.flush();
    this.hasDeferredGroup = wait;
    if (!wait) return;
    this.queue = [group];
    this.frame = requestAnimationFrame(() => {
      this.frame = requestAnimationFrame(() => this.renderNow());
    });
  }

  private receive(message: Message): void {
    const { state, about, isSaved } = receiveMessage(this.handover, message);
    this.handover = state;
    if (isSaved) this.arrived();
    if (about === 'neither') return;
    if (about === 'present' && !this.isPassedOver(message)) this.queue.push(message);
    if (message.type === 'checkpoint') this.flush();
    for (const listener of this.listeners) listener(message, this.handover.id);
    this.frame ||= requestAnimationFrame(() => this.renderNow());
  }

  /** True for a group of the run behind a waiting sample: the sample was requested, and the panel has not held it yet. */
  private isPassedOver(message: Message): boolean {
    return isGroup(message, false) && this.queue.some((waiting) => isGroup(waiting, true));
  }

  private close(): void {
    this.session?.close();
    this.ended = this.session !== undefined;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  private sendVisibility = (): void => {
    this.send({ type: 'visibility', hidden: document.hidden });
  };
}

/** True for a group that is a sample, or none. */
function isGroup(message: Message, sampleOnly: boolean): boolean {
  return message.type === 'group' && message.group.sampleOnly === sampleOnly;
}

/** A number for a run, which no other run has. */
export function newRunId(): string {
  // crypto.randomUUID is missing on plain http.
  const random = Math.floor(Math.random() * 0xffffffff).toString(36);
  return `${Date.now().toString(36)}-${random}`;
}
