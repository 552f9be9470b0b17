import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Claim, Experiment } from '../../environments/claim.ts';
import { type ClaimRun, claimRuns } from '../../experiments/claims/claimRuns.ts';
import type { LoadedRun } from '../../storage/runStore.ts';
import { EXACT, type RunConfiguration } from '../../training/data/configuration.ts';
import { MAX_LANES } from '../../training/data/protocol.ts';
import { browser, type Outside } from '../runs/outside.ts';
import { StorageController } from '../runs/storageController.ts';
import { type TrainedRun as ProgressOf, type QueueHost, TrainingQueue } from '../runs/trainingQueue.ts';
import type { OpenRun } from '../session/openRun.ts';
import { SessionController } from '../session/sessionController.ts';
import type { Session } from '../session/workerSession.ts';

/** Host of the sessions of the Lab. It is not an element, because runs continue while the user opens other views. */
class Host implements ReactiveControllerHost {
  readonly updateComplete = Promise.resolve(true);
  private readonly controllers = new Set<ReactiveController>();

  constructor(private readonly changed: () => void) {}

  addController(controller: ReactiveController): void {
    this.controllers.add(controller);
    controller.hostConnected?.();
  }

  removeController(controller: ReactiveController): void {
    this.controllers.delete(controller);
  }

  requestUpdate(): void {
    this.changed();
  }
}

/**
 * Sessions for the runs of claims, in a separate worker, so that the Playground's run continues unchanged. The runs are
 * saved in this browser like other runs.
 */
export class LabLanes implements QueueHost {
  private readonly listeners = new Set<() => void>();
  private readonly host = new Host(() => this.changed());
  private readonly lent = new Set<SessionController>();
  private opened: StorageController | undefined;
  private worker: Session | undefined;

  constructor(private readonly outside: Outside = browser()) {}

  /** Adds a listener for changes of the runs. @returns a function that removes it */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  borrow(configuration: RunConfiguration): SessionController | undefined {
    if (this.lent.size >= MAX_LANES) return undefined;
    // The first run of the worker is never begun. All runs are additional runs, so that each of them can be closed.
    this.worker ??= this.outside.openWorker((message) => {
      if (message.type === 'status' && message.status === 'stopped') this.worker = undefined;
    });
    const { worker } = this;
    const session = new SessionController(this.host, configuration);
    session.open((listener) => {
      const lane = worker.lane?.(listener);
      if (!lane) throw new Error('no worker is available for training');
      return lane;
    });
    this.lent.add(session);
    this.storage.follow(session);
    return session;
  }

  release(session: SessionController): void {
    this.lent.delete(session);
    session.end();
  }

  find(link: string): Promise<LoadedRun | undefined> {
    return this.storage.find(
      link,
      [...this.lent].map(({ id }) => id),
    );
  }

  resume(stored: LoadedRun): OpenRun {
    return this.storage.resume(stored);
  }

  now(): number {
    return performance.now();
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  private get storage(): StorageController {
    const { openStore, tabs } = this.outside;
    this.opened ??= new StorageController(this.host, openStore, tabs);
    return this.opened;
  }
}

/** Updates its host element with each change of the Lab's runs. */
export class LanesController implements ReactiveController {
  private unlisten: (() => void) | undefined;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly lanes: () => Pick<LabLanes, 'listen'>,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.unlisten = this.lanes().listen(() => this.host.requestUpdate());
  }

  hostDisconnected(): void {
    this.unlisten?.();
  }
}

/** Training of the runs of a claim. */
export type ClaimTraining = TrainingQueue<ClaimRun>;
/** Run of a claim with its progress. */
export type TrainedRun = ProgressOf<ClaimRun>;

/** Trainings of this page by claim and experiment. They continue while the user opens other claims. */
export class LabTrainings {
  private readonly all = new Map<string, ClaimTraining>();

  constructor(readonly lanes: LabLanes = new LabLanes()) {}

  of(claim: Claim, experiment: Experiment): ClaimTraining | undefined {
    return this.known(keyOf(claim, experiment));
  }

  /** Returns the training with a key, if there is one. */
  known(key: string): ClaimTraining | undefined {
    return this.all.get(key);
  }

  /** Trains all arms of an experiment with these seeds. */
  start(claim: Claim, experiment: Experiment, seeds: readonly number[]): void {
    this.begin(keyOf(claim, experiment), claimRuns(experiment, seeds));
  }

  /**
   * Trains runs under a key. The engine is exact, because the curves are compared with curves from other machines.
   * Other trainings stop and can continue later.
   */
  begin(key: string, runs: readonly ClaimRun[]): void {
    const exact = runs.map((run) => ({ ...run, configuration: { ...run.configuration, engine: EXACT } }));
    const training = new TrainingQueue(this.lanes, exact);
    this.known(key)?.stop();
    this.all.set(key, training);
    this.goOn(training);
  }

  goOn(training: ClaimTraining): void {
    for (const candidate of this.all.values()) if (candidate !== training && candidate.running) candidate.stop();
    void training.train();
  }
}

const keyOf = ({ id }: Claim, { name }: Experiment) => `${id} ${name}`;

export const labTrainings = new LabTrainings();
