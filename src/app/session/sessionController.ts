import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { type CustomRuleSource, decodeCustomRule } from '../../credit/rules/custom/customRule.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { Curve } from '../../storage/curve.ts';
import type { EngineName, RunConfiguration } from '../../training/data/configuration.ts';
import type { Command, Message, SavedRun } from '../../training/data/protocol.ts';
import { withChange } from '../address/url.ts';
import { findForeign } from '../customRule/savedRules.ts';
import { initialHandover, receiveMessage, replaceWorker, requestRun, sendCommand } from './handover.ts';
import { OpenRun } from './openRun.ts';
import { choosePace, chosenPace, type PaceChoice } from './paceChoice.ts';
import { RunModel } from './runModel.ts';
import type { Session, SessionFactory } from './workerSession.ts';

/** Options for starting a run. */
export interface SessionStartOptions {
  readonly play: boolean;
  /** Saved run to continue. */
  readonly saved?: SavedRun | undefined;
  /** Curve of the saved run, if `saved` does not contain all updates. */
  readonly curve?: Curve | undefined;
  /** Run in storage. By default, the run is new. */
  readonly run?: OpenRun | undefined;
}

/** Maximum number of updates of a continued run that the worker receives. The worker needs the last update. */
const NEWEST = 32;

/** Receives messages when they arrive, also while the tab is hidden and draws nothing. */
export type MessageListener = (message: Message, run: OpenRun) => void;

/**
 * Owns the session and applies its messages to the model, at most once per frame, so that a fast run cannot block the
 * main thread. Notifies the session when the tab is hidden.
 */
export class SessionController implements ReactiveController {
  model: RunModel;
  session: Session | undefined;
  /** Maximum pace of training [updates/s]; null means no limit. */
  pace = chosenPace();
  /** Called instead of training, with a custom rule of the run that the user has not allowed to execute. */
  onForeignRule: (rule: CustomRuleSource) => void = () => {};
  private queue: Message[] = [];
  private frame = 0;
  /** True if a group has already been deferred. It is not deferred again. */
  private hasDeferredGroup = false;
  private handover = initialHandover(new OpenRun());
  private connected = false;
  /** True if the session ended because the element left the document. */
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

  /** Closes the session after the task. A moved element is connected again in the same task and keeps its session. */
  hostDisconnected(): void {
    this.connected = false;
    document.removeEventListener('visibilitychange', this.sendVisibility);
    queueMicrotask(() => {
      if (!this.connected) this.close();
    });
  }

  /** Reopens the session that ended when the element left the document. @returns true if there was such a session */
  reopen(): boolean {
    if (!this.ended || !this.factory) return false;
    this.flush();
    this.open(this.factory);
    return true;
  }

  /** Run that was requested last. */
  get run(): OpenRun {
    return this.handover.next;
  }

  /** Id of this run in storage. */
  get id(): string {
    return this.run.id;
  }

  /** True if the worker has not opened the run yet. */
  get isPending(): boolean {
    return this.handover.phase !== 'running';
  }

  /** True if the run trains, or trains when the worker has opened it. A run that replaces it then trains as well. */
  get isTraining(): boolean {
    // A run may stop before the worker has opened it.
    return this.handover.trains && this.model.status !== 'stopped';
  }

  /** Resolves when the worker has sent the last state of the previous run, or cannot send it. */
  get transferred(): Promise<void> {
    return this.arrival;
  }

  /** Adds a listener. @returns a function that removes it */
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

  /** Opens a session, replacing the present one, without starting a run. */
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

  begin(configuration: RunConfiguration, { play, saved, curve, run }: SessionStartOptions): void {
    const given = saved && { ...saved, metrics: saved.metrics.slice(-NEWEST) };
    this.replace(configuration, { saved: given, curve: curve ?? (saved && Curve.of(saved)), run });
    const isTraining = play && !this.requiresConsent();
    this.handover = { ...this.handover, trains: isTraining };
    this.send({ type: 'start', configuration, play: isTraining, ...(given ? { saved: given } : {}) });
    if (document.hidden) this.send({ type: 'visibility', hidden: true });
  }

  /** Trains the starting policy of this run on the device, then pauses at step 0. */
  warmStart(): void {
    const { controls } = this.model;
    const configuration = { ...this.model.configuration, controls };
    // A new worker needs a run before it can train a starting policy.
    if (this.replace(configuration, {})) this.send({ type: 'start', configuration, play: false });
    this.send({ type: 'warm-start' });
  }

  /**
   * Begins another run with a new model, and separates it from the last messages of the previous run. If the run has
   * stopped, also replaces the worker, which may have crashed. Returns true if the worker was replaced.
   */
  private replace(configuration: RunConfiguration, { saved, curve, run }: Omit<SessionStartOptions, 'play'>): boolean {
    this.flush();
    const stopped = this.model.status === 'stopped' && this.factory !== undefined;
    if (stopped && this.factory) this.open(this.factory);
    const { device, status, step, checkpoint } = this.model;
    this.model = new RunModel(configuration, saved, curve);
    this.model.device = device;
    this.handover = requestRun(this.handover, run ?? new OpenRun());
    this.arrived();
    this.arrival = new Promise((resolve) => {
      this.arrived = resolve;
    });
    // A paused run whose checkpoint has arrived sends no further state.
    if (status === 'paused' && step === (checkpoint?.step ?? 0)) this.arrived();
    this.host.requestUpdate();
    return stopped;
  }

  /**
   * Restarts after a crash: a new worker continues from the last checkpoint, or from the beginning if there is no
   * checkpoint. Later changes are repeated at their steps. Returns the state from which the run continues.
   * @param engine engine for the further updates; by default the present engine
   */
  restart(play = false, engine?: EngineName): SavedRun | undefined {
    this.flush();
    const { checkpoint, configuration, curve, changesSinceCheckpoint: recentChanges } = this.model;
    const { run } = this;
    const on = (given: RunConfiguration) => (engine === undefined ? given : { ...given, engine });
    if (!checkpoint) {
      this.begin(on(recentChanges.reduce(withChange, configuration)), { play, run });
      return undefined;
    }
    const saved = recentChanges.length
      ? { ...checkpoint, events: [...checkpoint.events, ...recentChanges] }
      : checkpoint;
    curve.cut(saved.step);
    this.begin(on(saved.configuration), { play, saved, curve, run });
    return saved;
  }

  /** Pauses the run and requests its state after the last update. */
  async pause(): Promise<SavedRun | undefined> {
    this.send({ type: 'pause' });
    this.flush();
    if (this.model.status === 'playing') {
      await new Promise<void>((resolve) => {
        const end = this.listen((message) => {
          if (message.type !== 'status' || message.status === 'playing') return;
          end();
          resolve();
        });
      });
    }
    return this.requestState();
  }

  /**
   * Requests the present state of the run. If the run has stopped, returns its last state.
   * @returns undefined if the worker cannot send the state, because it stopped or began another run
   */
  requestState(): Promise<SavedRun | undefined> {
    this.flush();
    const { run, model } = this;
    if (model.status === 'stopped') return Promise.resolve(model.checkpoint);
    let isStarted = !this.isPending;
    return new Promise((resolve) => {
      const end = this.listen((message, about) => {
        const isState = message.type === 'checkpoint' && about === run;
        const isStopped = message.type === 'left' || (message.type === 'status' && message.status === 'stopped');
        // A run that was pending at the request begins once. A further `ready` means that a worker began again.
        const isReplaced = message.type === 'ready' && (isStarted || about !== run);
        if (message.type === 'ready') isStarted = true;
        if (!isState && !isStopped && !isReplaced) return;
        end();
        resolve(isState ? message.saved : undefined);
      });
      this.send({ type: 'save' });
    });
  }

  /**
   * Calls `onForeignRule` with a present or scheduled custom rule of the run that the user has not allowed to execute.
   * @returns true if there is such a rule
   */
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

  /** Sets and saves the pace of this run and all later runs. */
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

  /** Applies the queued messages to the model, without waiting for a frame. */
  flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const messages = this.queue;
    this.queue = [];
    for (const message of messages) this.model.apply(message);
    if (messages.length) this.host.requestUpdate();
  }

  /** Applies the queued messages. If a group arrives with metrics, the group is deferred until the curves are drawn. */
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
    for (const listener of this.listeners) listener(message, this.handover.run);
    this.frame ||= requestAnimationFrame(() => this.renderNow());
  }

  /** Returns true for a group of the run if a requested sample is queued, which must be shown first. */
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

/** Returns true for a message with a group whose `sampleOnly` equals the argument. */
function isGroup(message: Message, sampleOnly: boolean): boolean {
  return message.type === 'group' && message.group.sampleOnly === sampleOnly;
}
